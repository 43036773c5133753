import type { FetchError } from './fetch-error.ts';

/** Why a start URL was not answered, and what the user can do. */
interface ErrorWords {
  readonly reason: string;
  readonly hint: string;
}

const OR_HTTP = 'or crawl the http:// address';

export const FETCH_ERROR_WORDS: Readonly<Record<FetchError, ErrorWords>> = {
  dns: {
    reason: 'the host name does not exist (DNS)',
    hint: "check the spelling of the address, and this machine's DNS",
  },
  connection: {
    reason: 'the connection failed',
    hint: 'check the address and its port, and whether the site opens in a browser',
  },
  tls: {
    reason: 'the secure connection failed (TLS)',
    hint: `open the site in a browser to see what is wrong with its certificate, ${OR_HTTP}`,
  },
  tls_version: {
    reason: 'it does not support TLS 1.2 or later',
    hint: `browsers refuse it too: enable TLS 1.2 or 1.3 on the site, ${OR_HTTP}`,
  },
  tls_protocol: {
    reason: 'it supports neither HTTP/1.1 nor HTTP/2 over TLS (ALPN)',
    hint: `enable HTTP/1.1 or HTTP/2 on the site, ${OR_HTTP}`,
  },
  tls_expired: {
    reason: 'its certificate has expired',
    hint: `renew the certificate of the site, ${OR_HTTP}`,
  },
  tls_not_yet_valid: {
    reason: 'its certificate is not valid yet',
    hint: 'check the clock of this machine and the start date of the certificate',
  },
  tls_wrong_host: {
    reason: 'its certificate belongs to another host',
    hint: `add this host to the certificate, crawl a host of the certificate, ${OR_HTTP}`,
  },
  tls_self_signed: {
    reason: 'its certificate is self-signed',
    hint: `trust it with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  tls_untrusted: {
    reason: 'its certificate is from an authority that this machine does not trust',
    hint: `trust the authority with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  tls_incomplete_chain: {
    reason:
      'its certificate chain is incomplete: the server does not send the certificate of the issuer, and this machine does not trust the issuer',
    hint: `configure the server to send the intermediate certificates; browsers download missing ones, other clients fail. For your own authority, trust it with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  timeout: { reason: 'no answer in time', hint: 'the site did not respond in time: try again later' },
  protocol: { reason: 'the answer is not HTTP', hint: 'the server at this address does not speak HTTP' },
  proxy: {
    reason: 'the proxy refuses the connection',
    hint: 'check crawl_proxy, and whether the proxy is running and allows the site',
  },
  refused_address: {
    reason: 'its address is not on the public Internet',
    hint: 'add --allow-private to crawl private addresses',
  },
  robots_unavailable: {
    reason: 'its robots.txt could not be read',
    hint: 'nothing may be fetched while robots.txt cannot be read (RFC 9309): try again later',
  },
};
