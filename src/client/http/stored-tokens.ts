import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { keepSecret } from '../../core/secrets/redact.ts';
import { jsonOf } from '../../core/text/json.ts';
import type { OAuthTokens } from './oauth.ts';

/** `<state_dir>/oauth.json`, readable only by its owner. */
const StoredTokens = z.strictObject({
  /** SHA-256 of the application and of the setting from which these tokens originate. */
  descends_from: z.string(),
  refresh_token: z.string(),
  access_token: z.string().optional(),
  usable_until: z.number().optional(),
});

/** The origin of tokens: the `oauth` setting. Another refresh token in it starts a new chain. */
export interface TokenOrigin {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly refreshToken: string;
}

/** Returns the stored tokens that descend from this setting; undefined if there are none, or they cannot be read. */
export async function readTokens(file: string, origin: TokenOrigin): Promise<OAuthTokens | undefined> {
  if (!existsSync(file)) return undefined;
  // If the file is damaged, the token of the settings is used.
  const stored = StoredTokens.safeParse(jsonOf(await readFile(file, 'utf8'))).data;
  if (stored === undefined || stored.descends_from !== fingerprint(origin)) return undefined;
  for (const secret of [stored.refresh_token, stored.access_token]) keepSecret(secret);
  return {
    refreshToken: stored.refresh_token,
    accessToken: stored.access_token,
    usableUntil: stored.usable_until,
  };
}

export async function writeTokens(file: string, origin: TokenOrigin, tokens: OAuthTokens): Promise<void> {
  const stored: z.input<typeof StoredTokens> = {
    descends_from: fingerprint(origin),
    refresh_token: tokens.refreshToken,
    access_token: tokens.accessToken,
    usable_until: tokens.usableUntil,
  };
  makeFolder(dirname(file));
  await writeFileAtomic(file, `${JSON.stringify(stored, null, 2)}\n`, 0o600);
}

function fingerprint({ tokenUrl, clientId, refreshToken }: TokenOrigin): string {
  return hash('sha256', JSON.stringify([tokenUrl, clientId, refreshToken]));
}
