import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const ROOT = new URL('../../../', import.meta.url);

export const readRoot = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

export interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly expose?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly configs?: readonly { source: string; target: string }[];
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

/** Replaces `${NAME:?words}`, `${NAME:-default}` and `$$` as Compose does. Throws `words` if a needed variable is missing. */
export function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\{(\w+):([?-])([^}]*)\}/g, (all, name: string, sign: string, rest: string) => {
    if (all === '$$') return '$';
    const value = env[name];
    if (value) return value;
    if (sign === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}

/** compose.yaml with these variables in its `.env`. */
export const readCompose = (env: Readonly<Record<string, string>>): ComposeFile =>
  parse(interpolate(readRoot('compose.yaml'), env)) as ComposeFile;
