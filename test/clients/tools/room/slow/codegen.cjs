module.exports = {
  schema: '../schema.graphql',
  documents: 'typed/graphql-codegen.ts',
  generates: {
    'made/graphql-codegen/': {
      preset: 'client',
      config: { strictScalars: true, scalars: { Count: 'number', Credits: 'number', DateTime: 'string' } },
    },
  },
};
