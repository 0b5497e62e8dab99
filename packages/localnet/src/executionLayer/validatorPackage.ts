import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalnetError } from '../errors.ts';

/** The release line whose command line, accounts and behaviour this package knows. */
const RELEASE_LINE = '0.14.';
/** Where that line is published. */
const PLATFORMS = ['linux-x64'];

/** The path of the published ephemeral validator for this machine. */
export function findValidatorBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new LocalnetError(
      'UNSUPPORTED_PLATFORM',
      `The ephemeral validator ${RELEASE_LINE}x is not published for ${platform}: run this on ${PLATFORMS.join(' or ')}, or in a container of it.`,
    );
  }
  const name = `@magicblock-labs/ephemeral-validator-${platform}`;
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    throw missing(`${name} is not installed`);
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  if (!version.startsWith(RELEASE_LINE)) throw missing(`${name} is installed in version ${version}`);
  return join(dirname(manifest), 'bin', 'ephemeral-validator');
}

function missing(what: string): LocalnetError {
  return new LocalnetError(
    'VALIDATOR_PACKAGE_MISSING',
    `${what}, the localnet needs ${RELEASE_LINE}x: add it to the optional dependencies and install again without --omit=optional.`,
  );
}
