import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { builder } from './builder.js';
import './types/scalars.js';
import './types/user.js';
import './types/tweet.js';
import './queries/objects.js';
import './list-fields.js';
import './queries/account.js';
import { priceDirective } from './price-directive.js';

builder.queryType({
  description:
    'Reads from a public social network. The price of a field is in its description and its @price directive; scalars are free.',
});
builder.mutationType({ description: 'Buying credits. Nothing on the network can be changed.' });

/** The one schema behind every interface. */
export const schema: GraphQLSchema = builder.toSchema({
  directives: [...specifiedDirectives, priceDirective],
});
