import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  print,
} from 'graphql';
import { toCredits } from '../../../src/domain/credits.js';
import { figure, inCredits } from '../../../src/domain/figures.js';
import { itemPrice, UNITS } from '../../../src/domain/prices.js';
import { entriesOf, GROUPS, type Group, TYPES } from './contents.js';
import type { PageSource } from './sources.js';

/** The pages made from the schema: an index, and one for each type. */
export const TYPES_GROUP: Group = {
  ...{ id: TYPES, title: 'GraphQL types', lead: '', isForCallers: true, parts: [] },
  // Many fields have the names of things that the guides explain better.
  weight: 0.4,
};

/** In the order in which readers meet them: root types, objects, then the types of their fields. */
export function typeSources(schema: GraphQLSchema): PageSource[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const rank = (type: GraphQLNamedType): number =>
    roots.includes(type as GraphQLObjectType)
      ? roots.indexOf(type as GraphQLObjectType)
      : isObjectType(type)
        ? roots.length
        : roots.length + 1;
  const ordered = types.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  const index = GROUPS.flatMap(entriesOf).filter(({ name }) => name === TYPES);
  return [
    ...index.map((entry) => ({ ...entry, group: TYPES_GROUP, markdown: typesIndex(ordered) })),
    ...ordered.map((type) => ({
      name: `${TYPES}/${type.name}`,
      summary: firstSentence(type.description),
      group: TYPES_GROUP,
      markdown: typePage(type),
    })),
  ];
}

/** A page in Markdown, from which `render.ts` makes HTML. */
const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

const linkTo = (name: string): string => `[${name}](/docs/${TYPES}/${name})`;

const typesIndex = (types: readonly GraphQLNamedType[]): string =>
  page(
    '# GraphQL types',
    'Every type of the schema, its fields, and what they cost. [GraphQL](graphql.md) explains how to ask for them.',
    table(
      ['Type', 'What it is'],
      types.map((type) => [linkTo(type.name), firstSentence(type.description)]),
    ),
  );

function typePage(type: GraphQLNamedType): string {
  const title = `# ${type.name}`;
  const about = [
    type.description ?? '',
    `\`${typeKind(type)} ${type.name}\`, one of the [GraphQL types](/docs/${TYPES}).`,
  ];
  if (isObjectType(type)) return page(title, ...about, ...fieldParts(type));
  if (isEnumType(type)) {
    const rows = type.getValues().map(({ name, description }) => [`\`${name}\``, description ?? '']);
    return page(title, ...about, '## Values', table(['Value', 'Meaning'], rows));
  }
  if (isUnionType(type)) {
    const rows = type.getTypes().map((each) => [linkTo(each.name), firstSentence(each.description)]);
    return page(title, ...about, '## One of', table(['Type', 'What it is'], rows));
  }
  return page(title, ...about);
}

function typeKind(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'type';
  if (isEnumType(type)) return 'enum';
  return isUnionType(type) ? 'union' : 'scalar';
}

/** Plain fields share one table; each field with a price or arguments has its own heading. */
function fieldParts(type: GraphQLObjectType): string[] {
  const fields = Object.values(type.getFields());
  const isPlain = (field: GraphQLField<unknown, unknown>): boolean =>
    field.args.length === 0 && field.extensions.price === undefined;
  const plain = fields.filter(isPlain).map((field) => [`\`${field.name}\``, typeText(field.type), fieldMeaning(field)]);
  return [
    ...(plain.length > 0 ? ['## Fields', table(['Field', 'Type', 'Meaning'], plain)] : []),
    ...fields.filter((field) => !isPlain(field)).flatMap(fieldSection),
  ];
}

const fieldMeaning = ({ description, deprecationReason }: GraphQLField<unknown, unknown>): string =>
  [deprecationReason ? `Deprecated: ${deprecationReason}` : '', description ?? ''].filter(Boolean).join(' ');

function fieldSection(field: GraphQLField<unknown, unknown>): string[] {
  return [
    `## ${field.name}`,
    fieldMeaning(field),
    `Type: ${typeText(field.type)}. ${priceText(field)}`,
    field.args.length === 0
      ? ''
      : table(
          ['Argument', 'Type', 'Default', 'Meaning'],
          field.args.map((arg) => [`\`${arg.name}\``, typeText(arg.type), defaultText(arg), arg.description ?? '']),
        ),
  ];
}

/** The price from the same table that the service charges by. */
function priceText(field: GraphQLField<unknown, unknown>): string {
  const { price } = field.extensions;
  if (price === undefined) return 'Free.';
  const credits = (cache: 'miss' | 'hit' | 'bypass'): number => toCredits(itemPrice(price.unit, cache));
  return `Price: ${inCredits(credits('miss'))} per ${UNITS[price.unit].item}, ${figure(credits('hit'))} if cached, ${figure(credits('bypass'))} with \`fresh\`.`;
}

function defaultText({ defaultValue, type }: GraphQLArgument): string {
  const value = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return value ? `\`${print(value)}\`` : '';
}

function typeText(type: GraphQLType): string {
  if (isNonNullType(type)) return `${typeText(type.ofType)}!`;
  return isListType(type) ? `\\[${typeText(type.ofType)}\\]` : linkTo(type.name);
}

const firstSentence = (text: string | null | undefined): string => (text ?? '').split(/(?<=\.)\s/)[0] ?? '';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cellText))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const cellText = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
