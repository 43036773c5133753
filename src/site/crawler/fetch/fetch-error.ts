import { PROXY_ERROR } from './crawl-proxy.ts';
import { NOT_HTTP } from './lenient-reader.ts';
import { REFUSED_ADDRESS } from './resolve-host.ts';

/** Why no secure connection can be made, if known. */
type TlsError =
  | 'tls'
  | 'tls_version'
  | 'tls_protocol'
  | 'tls_expired'
  | 'tls_not_yet_valid'
  | 'tls_wrong_host'
  | 'tls_self_signed'
  | 'tls_untrusted'
  | 'tls_incomplete_chain';

export type FetchError =
  | 'timeout'
  | 'dns'
  | 'connection'
  | TlsError
  | 'protocol'
  | 'proxy'
  | 'refused_address'
  | 'robots_unavailable';

/** The code of an error for a request that exceeded its total time. */
export const LATE = 'ERR_CRAWL_TOTAL_TIMEOUT';
/** Codes of errors whose messages give the reason. */
const TELLING: ReadonlySet<string> = new Set([NOT_HTTP, PROXY_ERROR]);
/** The codes of each error, by their prefixes. */
const ERRORS: readonly (readonly [FetchError, RegExp])[] = [
  ['timeout', new RegExp(`^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|${LATE})$`)],
  ['proxy', new RegExp(`^${PROXY_ERROR}$`)],
  ['dns', /^(?:ENOTFOUND|EAI_)/],
  ['refused_address', new RegExp(`^${REFUSED_ADDRESS}$`)],
  // The server supports no version from TLS 1.2 on, the oldest one that Node and browsers accept.
  ['tls_version', /^ERR_SSL_(?:UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|WRONG_SSL_VERSION)$/],
  // The server supports none of the offered protocols; for example, only HTTP/2 (RFC 7301).
  ['tls_protocol', /^ERR_SSL_\w*NO_APPLICATION_PROTOCOL$/],
  ['tls_expired', /^CERT_HAS_EXPIRED$/],
  ['tls_not_yet_valid', /^CERT_NOT_YET_VALID$/],
  ['tls_wrong_host', /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/],
  ['tls_self_signed', /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  ['tls_untrusted', /^(?:SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED|INVALID_CA)$/],
  // The server does not send the certificate of an intermediate issuer.
  ['tls_incomplete_chain', /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)$/],
  ['tls', /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/],
  [
    'protocol',
    /^(?:HTTPParserError|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|UND_ERR_INVALID|ERR_CRAWL_NOT_HTTP)/,
  ],
];

/** Codes of a response that is incomplete or violates HTTP. */
const BROKEN_OFF = new RegExp(
  `^(?:UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|EPIPE|${NOT_HTTP})$`,
);

/** Errors of a whole host: none of its URLs is available. */
const OF_HOSTS = /^(?:dns|connection|proxy|tls.*)$/;

export function isOfHost(error: FetchError): boolean {
  return OF_HOSTS.test(error);
}

export function errorOf(error: unknown): FetchError {
  const { code, errors, name } = (error ?? {}) as {
    code?: unknown;
    errors?: readonly unknown[];
    name?: unknown;
  };
  // Of several tried addresses, the first error counts.
  const first = (errors?.[0] as { code?: unknown } | undefined)?.code;
  const text = String(code ?? first ?? name);
  return ERRORS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'connection';
}

/** Returns why a response was refused, as a message; null for errors whose kind is sufficient. */
export function refusalOf(error: unknown): string | null {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return TELLING.has(code) ? message : null;
}

/** Returns whether a code means that a response is incomplete or violates HTTP. */
export function isBrokenOffBy(code: string): boolean {
  return BROKEN_OFF.test(code);
}
