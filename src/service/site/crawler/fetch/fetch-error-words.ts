import type { FetchError } from './fetch-error.ts';

/** Why a start URL was not answered, and what a person may do about it. */
interface ErrorWords {
  readonly reason: string;
  readonly hint: string;
}

const OR_HTTP = 'or crawl the http:// address';

export const FETCH_ERROR_WORDS: Readonly<Record<FetchError, ErrorWords>> = {
  dns: {
    reason: 'no machine has that name (DNS)',
    hint: 'check the spelling of the address, and the DNS of this machine',
  },
  connection: {
    reason: 'no connection can be made',
    hint: 'check the address and its port, and whether the site answers in a browser',
  },
  tls: {
    reason: 'no secure connection can be made (TLS)',
    hint: `open the site in a browser to see what is wrong with its certificate, ${OR_HTTP}`,
  },
  tls_version: {
    reason: 'it speaks no TLS that is as new as 1.2',
    hint: `browsers refuse it too: let the site speak TLS 1.2 or 1.3, ${OR_HTTP}`,
  },
  tls_protocol: {
    reason: 'it speaks none of the protocols HTTP/1.1 and HTTP/2 over TLS (ALPN)',
    hint: `let the site speak HTTP/1.1 or HTTP/2, ${OR_HTTP}`,
  },
  tls_expired: {
    reason: 'its certificate has expired',
    hint: `renew the certificate of the site, ${OR_HTTP}`,
  },
  tls_not_yet_valid: {
    reason: 'its certificate is not valid yet',
    hint: 'check the clock of this machine, and the first day of the certificate',
  },
  tls_wrong_host: {
    reason: 'its certificate is of another host',
    hint: `let the certificate name this host, crawl a host that it names, ${OR_HTTP}`,
  },
  tls_self_signed: {
    reason: 'its certificate is self-signed',
    hint: `trust it with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  tls_untrusted: {
    reason: 'its certificate is of an authority that is not trusted here',
    hint: `trust the authority with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  tls_incomplete_chain: {
    reason:
      'its certificate chain is incomplete: the server does not send the certificate of the issuer, which is not trusted here',
    hint: `let the server send the intermediate certificates; browsers download a missing one, other clients fail. If the authority is your own, trust it with NODE_EXTRA_CA_CERTS=FILE, ${OR_HTTP}`,
  },
  timeout: {
    reason: 'no answer in time',
    hint: 'the site does not answer in time: try again later',
  },
  protocol: { reason: 'the answer is not HTTP', hint: 'what answers there does not speak HTTP' },
  proxy: {
    reason: 'the proxy does not let it through',
    hint: 'check the setting crawl_proxy, and whether the proxy runs and allows the site',
  },
  refused_address: {
    reason: 'its address is not of the public Internet',
    hint: 'crawl private addresses with --allow-private',
  },
  robots_unavailable: {
    reason: 'its robots.txt could not be read',
    hint: 'nothing may be fetched without it (RFC 9309): try again later',
  },
};
