import type { Introspection } from './schema.gen.js';
import type {
  ConditionOf,
  FragmentsIn,
  IsConditional,
  KeyOf,
  KindOf,
  NameOf,
  OperationIn,
  SelectionsOf,
} from './syntax.js';

interface Scalars {
  Boolean: boolean;
  /** A whole number up to 2^53 - 1. */
  Count: number;
  /** At most three decimals. */
  Credits: number;
  /** RFC 3339, UTC. */
  DateTime: string;
  Float: number;
  ID: string;
  Int: number;
  String: string;
}

type Types = Introspection['types'];
type TypeOf<Name> = Name extends keyof Types ? Types[Name] : never;
type FieldsOf<Name> = TypeOf<Name> extends { fields: infer Fields } ? Fields : Record<never, never>;
type RefOf<Name, Field> = Field extends keyof FieldsOf<Name>
  ? FieldsOf<Name>[Field] extends { type: infer Ref }
    ? Ref
    : never
  : never;
/** The object types that a value of a type may have. */
type Possible<Name> = TypeOf<Name> extends { possibleTypes: infer Names } ? Names : Name;
type Named<Ref> = Ref extends { kind: 'NON_NULL' | 'LIST'; ofType: infer Of }
  ? Named<Of>
  : Ref extends { name: infer Name }
    ? Name
    : never;
type Flat<T> = { [K in keyof T]: T[K] };

type Value<Ref, Node, Fragments> = Ref extends { kind: 'NON_NULL'; ofType: infer Of }
  ? Present<Of, Node, Fragments>
  : Present<Ref, Node, Fragments> | null;

type Present<Ref, Node, Fragments> = Ref extends { kind: 'LIST'; ofType: infer Of }
  ? Value<Of, Node, Fragments>[]
  : Leaf<Named<Ref>> extends infer Scalar
    ? [Scalar] extends [never]
      ? ObjectOf<Possible<Named<Ref>>, SelectionsOf<Node>, Fragments>
      : Scalar
    : never;

type Leaf<Name> = Name extends keyof Scalars
  ? Scalars[Name]
  : TypeOf<Name> extends { enumValues: infer Values }
    ? Values
    : never;

/** The object that a selection produces for each possible type. */
type ObjectOf<Name, Selections, Fragments> = Name extends unknown ? Flat<Selected<Selections, Name, Fragments>> : never;

type Selected<Selections, On, Fragments, Found = unknown> = Selections extends [infer Node, ...infer Rest]
  ? Selected<Rest, On, Fragments, Found & SelectedBy<Node, On, Fragments>>
  : Found;

type SelectedBy<Node, On, Fragments> =
  KindOf<Node> extends 'Field'
    ? IsConditional<Node> extends true
      ? { [K in KeyOf<Node>]?: FieldValue<Node, On, Fragments> }
      : { [K in KeyOf<Node>]: FieldValue<Node, On, Fragments> }
    : KindOf<Node> extends 'InlineFragment'
      ? Spread<Node, Node, On, Fragments>
      : NameOf<Node> extends keyof Fragments
        ? Spread<Node, Fragments[NameOf<Node>], On, Fragments>
        : unknown;

/** The members that a fragment adds to the object it is spread into; none if the object has another type. */
type Spread<Node, Fragment, On, Fragments> =
  On extends Possible<ConditionOf<Fragment, On>>
    ? IsConditional<Node> extends true
      ? Partial<Selected<SelectionsOf<Fragment>, On, Fragments>>
      : Selected<SelectionsOf<Fragment>, On, Fragments>
    : unknown;

type FieldValue<Node, On, Fragments> =
  NameOf<Node> extends '__typename' ? On : Value<RefOf<On, NameOf<Node>>, Node, Fragments>;

type RootOf<Definition> = Definition extends { operation: infer Operation extends string }
  ? `${Operation}` extends keyof Introspection
    ? Introspection[`${Operation}`]
    : never
  : ConditionOf<Definition, never>;

/** The complete data of an operation's answer. */
export type DataFrom<Document> = Document extends { definitions: infer Definitions }
  ? ObjectOf<RootOf<OperationIn<Definitions>>, SelectionsOf<OperationIn<Definitions>>, FragmentsIn<Definitions>>
  : never;

type Input<Ref> =
  KindOf<Ref> extends 'NonNullType'
    ? Ref extends { type: infer Of }
      ? InputPresent<Of>
      : never
    : InputPresent<Ref> | null;
type InputPresent<Ref> =
  KindOf<Ref> extends 'ListType' ? (Ref extends { type: infer Of } ? readonly Input<Of>[] : never) : Leaf<NameOf<Ref>>;

type VariablesIn<Definitions, Found = unknown> = Definitions extends [infer Variable, ...infer Rest]
  ? VariablesIn<Rest, Found & VariableOf<Variable>>
  : Flat<Found>;
type VariableOf<Definition> = Definition extends { variable: infer Variable; type: infer Ref }
  ? KindOf<Ref> extends 'NonNullType'
    ? Definition extends { defaultValue: undefined }
      ? { readonly [N in NameOf<Variable>]: Input<Ref> }
      : { readonly [N in NameOf<Variable>]?: Input<Ref> }
    : { readonly [N in NameOf<Variable>]?: Input<Ref> }
  : unknown;

/** The variables of an operation: nullable ones, and those with a default, may be left out. */
export type VariablesFrom<Document> = Document extends { definitions: infer Definitions }
  ? OperationIn<Definitions> extends { variableDefinitions: infer Variables }
    ? VariablesIn<Variables>
    : Record<never, never>
  : never;

/** A message about the first selected field that its type does not have; `never` if all exist. */
type WrongIn<Selections, On> = Selections extends [infer Node, ...infer Rest]
  ? [WrongNode<Node, On>] extends [never]
    ? WrongIn<Rest, On>
    : WrongNode<Node, On>
  : never;

type WrongNode<Node, On> =
  KindOf<Node> extends 'Field'
    ? NameOf<Node> extends '__typename'
      ? never
      : NameOf<Node> extends keyof FieldsOf<On>
        ? WrongIn<SelectionsOf<Node>, Named<RefOf<On, NameOf<Node>>>>
        : `There is no field ${NameOf<Node>} on ${On & string}`
    : KindOf<Node> extends 'InlineFragment'
      ? WrongIn<SelectionsOf<Node>, ConditionOf<Node, On>>
      : never;

type Wrong<Definitions> = Definitions extends [infer Definition, ...infer Rest]
  ? [WrongIn<SelectionsOf<Definition>, RootOf<Definition>>] extends [never]
    ? Wrong<Rest>
    : WrongIn<SelectionsOf<Definition>, RootOf<Definition>>
  : never;

/** `unknown` for a valid document; otherwise the message about its fault, in a type that no text has. */
export type Checked<Document> = [Document] extends [never]
  ? { readonly fault: 'This is not a GraphQL document' }
  : Document extends { definitions: infer Definitions }
    ? [OperationIn<Definitions>] extends [never]
      ? { readonly fault: 'There is no operation, only fragments' }
      : [Wrong<Definitions>] extends [never]
        ? unknown
        : { readonly fault: Wrong<Definitions> }
    : never;
