import './types/scalars.js';
import './types/user.js';
import './types/tweet.js';
import './queries/objects.js';
import './list-fields.js';
import './queries/account.js';
import './queries/watches.js';
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLFloat,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
} from 'graphql';
import { builder } from './builder.js';

/** A price as the printed SDL shows it. */
const priceDirective = new GraphQLDirective({
  name: 'price',
  description:
    'Marks a paid field. `credits` is the full price of one item; cached items cost half, `fresh` doubles the price. `per` names the item, `items` the argument that limits their number.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    credits: { type: new GraphQLNonNull(GraphQLFloat) },
    per: { type: new GraphQLNonNull(GraphQLString) },
    items: { type: new GraphQLNonNull(GraphQLString) },
  },
});

builder.queryType({
  description:
    'Reads from a public social network. The price of a field is in its description and its @price directive; scalars are free.',
});
builder.subscriptionType({
  description:
    'New items as they appear, sent as server-sent events. Each batch is an answer of its own, and its items cost the same as on a page. Waiting is free.',
});
builder.mutationType({ description: 'Buys credits and manages watches. Nothing on the network can be changed.' });

/** The one schema behind every interface. */
export const schema: GraphQLSchema = builder.toSchema({
  directives: [...specifiedDirectives, priceDirective],
});
