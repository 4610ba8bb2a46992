import { DirectiveLocation, GraphQLDirective, GraphQLFloat, GraphQLNonNull, GraphQLString } from 'graphql';

/** How a price shows in the printed SDL. */
export const priceDirective = new GraphQLDirective({
  name: 'price',
  description:
    'The field is paid for. `credits` is the full price of one item; held items cost half, `fresh` doubles. `per` names the item, `items` the argument that bounds how many there can be.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    credits: { type: new GraphQLNonNull(GraphQLFloat) },
    per: { type: new GraphQLNonNull(GraphQLString) },
    items: { type: new GraphQLNonNull(GraphQLString) },
  },
});
