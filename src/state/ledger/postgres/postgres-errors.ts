import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { PostgresAddress } from '../../../core/net/postgres-address.ts';

/** Of Node: the server can't be reached, or the connection broke. */
const BROKEN: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
];
/** Of PostgreSQL: a connection exception, a shutdown or start, too many connections, a deadlock or conflict. */
const TRANSIENT = /^(08...|57P0[1-5]|53...|40001|40P01|25P03)$/;
/** Of `pg`, which gives them no code. */
const CUT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable/;
/** Of PostgreSQL: the user, the password or the rule for this machine does not fit; the database is missing. */
const ACCESS: readonly unknown[] = ['28P01', '28000', '3D000'];
const MISSING_RIGHT: readonly unknown[] = ['42501', '3F000'];
/** Of TLS. */
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/;

/** Whether another connection may soon succeed. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (BROKEN.includes(code)) return true;
  return TRANSIENT.test(String(code)) || (code === undefined && CUT.test(String(message)));
}

/** An error of `pg` as one of ours. */
export function ledgerError(error: unknown, address: PostgresAddress): CrawlhouseError {
  if (error instanceof CrawlhouseError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const where = `the ledger at ${address.host}:${address.port}/${address.database}`;
  const said = (hint: string) => ({ cause: error, hint });
  if (isTransient(error)) {
    return new CrawlhouseError('ledger_unavailable', `${where} does not answer: ${message || code}`, {
      cause: error,
    });
  }
  if (ACCESS.includes(code)) {
    return new CrawlhouseError(
      'bad_settings',
      `${where} rejects ${address.user}: ${message}`,
      said('correct user, password and database of the setting ledger, or pg_hba.conf (docs/operate.md)'),
    );
  }
  if (MISSING_RIGHT.includes(code)) {
    return new CrawlhouseError(
      'bad_settings',
      `${where}: ${address.user} lacks a right on the schema ${address.schema}: ${message}`,
      said('docs/operate.md has the statements that give it'),
    );
  }
  if (TLS.test(String(code)) || /SSL|certificate/.test(message)) {
    return new CrawlhouseError(
      'bad_settings',
      `${where}: no TLS connection: ${message}`,
      said(
        'the certificate must be of this host; add sslrootcert=FILE for a private authority, sslmode=disable for none',
      ),
    );
  }
  return toCrawlhouseError(error);
}
