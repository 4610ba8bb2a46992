import { generateKeyPairSync, sign } from 'node:crypto';

/** One value of DER: tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`;

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));
const utcTime = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

/** A self-signed certificate for some names, made anew so that no private key is in the repository. */
export function selfSigned(names: readonly string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(names[0] ?? 'test')))));
  const dayMs = 86_400_000;
  const validity = sequence(utcTime(new Date(Date.now() - dayMs)), utcTime(new Date(Date.now() + dayMs)));
  const alternatives = sequence(...names.map((text) => der(0x82, Buffer.from(text))));
  const extension = sequence(hex('0603551d11'), der(0x04, alternatives));
  const body = sequence(
    der(0xa0, hex('020102')),
    hex('020101'),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem('CERTIFICATE', sequence(body, ECDSA_WITH_SHA256, signature)),
  };
}
