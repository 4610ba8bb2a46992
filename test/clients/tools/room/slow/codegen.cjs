module.exports = {
  schema: 'schema.graphql',
  documents: 'slow/typed/graphql-codegen.ts',
  generates: {
    'slow/made/graphql-codegen/': {
      preset: 'client',
      config: { strictScalars: true, scalars: { Count: 'number', Credits: 'number', DateTime: 'string' } },
    },
  },
};
