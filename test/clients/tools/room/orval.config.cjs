module.exports = {
  perch: {
    input: 'openapi.json',
    output: { target: 'made/orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
