import { type GraphQLOutputType, getNamedType, isListType, isNonNullType, isObjectType, Kind, parse } from 'graphql';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import type { RowType } from './lists.js';

export type Kinds = 'text' | 'count' | 'flag' | 'moment' | 'json';

/** One column of CSV and Parquet; lists and objects are `json`. */
export interface ExportColumn {
  readonly name: string;
  readonly kind: Kinds;
}

/** A row of the export: an object as the interface returns it; for `follower-ids`, an object with only the id. */
export type ExportRow = Readonly<Record<string, unknown>> & { readonly id: string };

const KINDS: Readonly<Record<string, Kinds>> = { Boolean: 'flag', Int: 'count', Count: 'count', DateTime: 'moment' };

/** The members of a list's objects, in the order in which its operation returns them. */
export function exportColumns(operation: string, rows: RowType): ExportColumn[] {
  if (rows === 'id') return [{ name: 'id', kind: 'text' }];
  const type = schema.getType(rows);
  const fragment = parse(readOperations()[operation] ?? '').definitions.find(
    (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.typeCondition.name.value === rows,
  );
  if (!isObjectType(type) || fragment?.kind !== Kind.FRAGMENT_DEFINITION) {
    throw new TypeError(`${operation} selects no ${rows}.`);
  }
  const fields = type.getFields();
  return fragment.selectionSet.selections.flatMap((node) => {
    const field = node.kind === Kind.FIELD ? fields[node.name.value] : undefined;
    if (node.kind !== Kind.FIELD || field === undefined) return [];
    return [{ name: node.alias?.value ?? node.name.value, kind: columnKind(field.type) }];
  });
}

function columnKind(type: GraphQLOutputType): Kinds {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner) || isObjectType(inner)) return 'json';
  return KINDS[getNamedType(inner).name] ?? 'text';
}
