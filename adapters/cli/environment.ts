import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '../../src/config/config.js';
import { note } from './print.js';

/** The nearest folder with a manifest, both from the sources and from the build. */
const PACKAGE_FOLDER = packageFolder(dirname(fileURLToPath(import.meta.url)));

function packageFolder(from: string): string {
  return existsSync(join(from, 'package.json')) || dirname(from) === from ? from : packageFolder(dirname(from));
}

/** When Perch is a dependency, its own folder must not contain data. */
const isCheckout = !PACKAGE_FOLDER.split(sep).includes('node_modules');

/**
 * The configuration of this process. Without PERCH_HOME a checkout keeps its data in itself, wherever it is called
 * from, so that `npm start` and a command run elsewhere use the same data. Throws ConfigError.
 */
export function configOfProcess(): Config {
  // A client's key, which the README's examples export, is not a setting of the service.
  const { PERCH_KEY: _, ...env } = process.env;
  const cwd = isCheckout && !env.PERCH_HOME?.trim() ? PACKAGE_FOLDER : process.cwd();
  const config = readConfig({ env, cwd, terminal: process.stderr.isTTY === true });
  for (const warning of config.warnings) note(`perch: ${warning}`);
  return config;
}

/** Resolves a path as typed: npm runs scripts in the package's folder and keeps the shell's folder in INIT_CWD. */
export function typedPath(path: string): string {
  const { INIT_CWD, npm_lifecycle_event } = process.env;
  const isNpmRun = npm_lifecycle_event === 'perch' && resolve(process.cwd()) === resolve(PACKAGE_FOLDER);
  return resolve(isNpmRun && INIT_CWD && existsSync(INIT_CWD) ? INIT_CWD : process.cwd(), path);
}

/** Where the demo key is kept for GraphiQL's button: readable only by its owner. */
export const demoKeyFile = (config: Config): string => join(config.home, 'demo-key');

/** The same for the demo account's test key. */
export const demoTestKeyFile = (config: Config): string => join(config.home, 'demo-test-key');
