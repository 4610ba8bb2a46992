/** Codes that networks write where there is no language: undetermined, no words, art, pictures or tags alone. */
const NO_LANGUAGE = /^(?:und|zxx|art|q[a-z]{2})$/i;

/** A language as a network names it; undefined for a code that names none (T28). */
export const languageOf = <Code>(code: Code): Code | undefined =>
  typeof code === 'string' && NO_LANGUAGE.test(code) ? undefined : code;
