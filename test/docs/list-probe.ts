import { EXPORTS, listPath } from '../../adapters/cli/export/lists.js';
import { buildCatalogue } from '../../adapters/mcp/catalogue.js';
import { openapiDocument } from '../../adapters/rest/openapi/document.js';
import { schema } from '../../schema/index.js';
import { readOperations } from '../../schema/operations.js';
import { printedSchema } from '../../schema/print.js';
import { Documents, preparePersisted } from '../../src/documents/documents.js';
import { LIST_READS } from '../../src/domain/lists.js';
import { ANYTHING_GOES } from '../kit/checks.js';
import { createEngine } from '../kit/engine.js';
import { createScriptedNetwork } from '../kit/networks/scripted-network.js';

/** Prints as JSON how this tree serves a list of a user's tweets. Run in a copy of the tree, for a list that a test adds. */
const kind = process.argv[2] ?? '';
const read = LIST_READS.find((each) => each.kind === kind);
if (read === undefined) throw new Error(`There is no ${kind}.`);

const net = createScriptedNetwork();
net.users([1]);
net.list(read.kind, '1', net.tweets([13, 12, 11]));
const { page, charge } = await createEngine(net.network).page({ kind: read.kind, subject: '1', count: 2 });

const operations = readOperations();
// The facts of a network without the list.
const lacking = { ...ANYTHING_GOES, serves: (list: string) => list !== kind };
const operation = new Documents(schema, preparePersisted(schema, operations)).find({ name: read.operation });
const { notServed } = operation.worst(operation.coerce({ user: '@somebody' }), lacking);
const { paths } = openapiDocument({ schema, operations, baseUrl: 'http://perch', authUrl: 'http://perch' });
const path = `/v1/users/{user}/${read.path}`;
const { listed } = buildCatalogue({ schema, operations });

process.stdout.write(
  JSON.stringify({
    sdl: printedSchema().match(new RegExp(`^  ${kind}\\(`, 'gm'))?.length ?? 0,
    operation: operations[read.operation] !== undefined,
    statuses: Object.keys(paths[path]?.get?.responses ?? {}).map(Number),
    tool: listed.find(({ name }) => name === read.tool.name)?.description,
    export: listPath(EXPORTS.get(kind) ?? read, '7'),
    read: { ids: page.nodes.map(({ id }) => id), goesOn: page.endCursor !== null, charged: charge.amount },
    notServed,
  }),
);
