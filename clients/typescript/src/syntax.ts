/** Reads the nodes of a parsed document, in types. Kinds are enums or strings, depending on the parser's types. */
export type KindOf<Node> = Node extends { kind: infer Kind extends string } ? `${Kind}` : never;
export type NameOf<Node> = Node extends { name: { value: infer Name extends string } } ? Name : never;
export type SelectionsOf<Node> = Node extends { selectionSet: { selections: infer Selections } } ? Selections : [];

/** The name of a field in the answer. */
export type KeyOf<Node> = Node extends { alias: { value: infer Alias extends string } } ? Alias : NameOf<Node>;

/** The type that a fragment is on, or `Otherwise`, the type around it. */
export type ConditionOf<Node, Otherwise> = Node extends { typeCondition: { name: { value: infer Name } } }
  ? Name
  : Otherwise;

/** Whether `@skip` or `@include` may remove a node. */
export type IsConditional<Node> = Node extends { directives: infer Directives extends readonly unknown[] }
  ? Extract<NameOf<Directives[number]>, 'skip' | 'include'> extends never
    ? false
    : true
  : false;

/** The first operation of a document. */
export type OperationIn<Definitions> = Definitions extends [infer Definition, ...infer Rest]
  ? KindOf<Definition> extends 'OperationDefinition'
    ? Definition
    : OperationIn<Rest>
  : never;

/** The fragments of a document, by name. */
export type FragmentsIn<Definitions, Found = unknown> = Definitions extends [infer Definition, ...infer Rest]
  ? FragmentsIn<
      Rest,
      KindOf<Definition> extends 'FragmentDefinition' ? Found & { [N in NameOf<Definition>]: Definition } : Found
    >
  : Found;
