/** The runs that are made each time: so many rounds, each of so many runs from a seed of its own. */
export const SUITE = { seed: 20_261_123, rounds: 12, round: 5, longest: 40 };
