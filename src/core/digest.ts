import { hash } from 'node:crypto';

/** SHA-256 in 43 characters: the key of a memory that is asked by callers' text, whatever its length. */
export const digestOf = (text: string): string => hash('sha256', text, 'base64url');

/** Longer names are digested: short ones are cheaper to compare than to digest, and can be read by people. */
const LONGEST_NAME = 128;

/** A name as a key of bounded length: itself, or its digest where it is long. */
export const shortName = (name: string): string => (name.length <= LONGEST_NAME ? name : `#${digestOf(name)}`);
