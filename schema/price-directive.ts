import { DirectiveLocation, GraphQLDirective, GraphQLFloat, GraphQLNonNull, GraphQLString } from 'graphql';

/** A price as the printed SDL shows it. */
export const priceDirective = new GraphQLDirective({
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
