import { DirectiveLocation, GraphQLDirective, GraphQLFloat, GraphQLNonNull, GraphQLString } from 'graphql';

/** How a price shows in the printed SDL. */
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
