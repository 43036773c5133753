import type { ConsoleOidcSettings } from '../../../project/settings/console-settings.ts';
import type { Role } from './session.ts';

/** What a provider says of a person. */
export interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
}

/** Who a person is, for the audit: the email, or else the subject. */
export function subjectOf(claims: Claims): string {
  return emailOf(claims) ?? claims.sub;
}

/** What a person may do; null: nothing. */
export function roleOf(claims: Claims, { operators, readers }: ConsoleOidcSettings): Role | null {
  const email = emailOf(claims)?.toLowerCase();
  const isIn = (names: readonly string[]): boolean =>
    names.some((name) => name === claims.sub || name.toLowerCase() === email);
  if (isIn(operators)) return 'operator';
  return readers === 'all' || isIn(readers) ? 'reader' : null;
}

/** An email that the provider does not call unverified: a person may have written another's. */
function emailOf({ email, email_verified: verified }: Claims): string | null {
  const isUnverified = verified === false || verified === 'false';
  return typeof email === 'string' && email !== '' && !isUnverified ? email : null;
}
