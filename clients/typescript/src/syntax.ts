/** How the nodes of a parsed document are read, in types. Their kinds are enums or words, as the parser's types have it. */
export type KindOf<Node> = Node extends { kind: infer Kind extends string } ? `${Kind}` : never;
export type NameOf<Node> = Node extends { name: { value: infer Name extends string } } ? Name : never;
export type SelectionsOf<Node> = Node extends { selectionSet: { selections: infer Selections } } ? Selections : [];

/** The name that the answer has for a field. */
export type KeyOf<Node> = Node extends { alias: { value: infer Alias extends string } } ? Alias : NameOf<Node>;

/** The type that a fragment is on, or else the one around it. */
export type ConditionOf<Node, Otherwise> = Node extends { typeCondition: { name: { value: infer Name } } }
  ? Name
  : Otherwise;

/** True where `@skip` or `@include` may leave a node out. */
export type IsConditional<Node> = Node extends { directives: infer Directives extends readonly unknown[] }
  ? Extract<NameOf<Directives[number]>, 'skip' | 'include'> extends never
    ? false
    : true
  : false;

/** The fragments of a document, by name. */
export type FragmentsIn<Definitions, Found = unknown> = Definitions extends [infer Definition, ...infer Rest]
  ? FragmentsIn<
      Rest,
      KindOf<Definition> extends 'FragmentDefinition' ? Found & { [N in NameOf<Definition>]: Definition } : Found
    >
  : Found;
