import type { LogField } from '../log-line.ts';

/** How the text of a variable becomes a field of a line; null: not at all. */
export type TextField = Exclude<LogField, 'second'> | 'clf' | 'iso' | 'epoch' | 'any' | null;

/**
 * The variables that tell something, by how Apache (https://httpd.apache.org/docs/2.4/mod/mod_log_config.html) and nginx
 * (https://nginx.org/en/docs/varindex.html) write them, in lower case but for directives. Others are passed over.
 */
export const TEXT_VARIABLES: Readonly<Record<string, TextField>> = {
  '%a': 'address',
  '%h': 'address',
  '%{c}a': 'address',
  '%{x-forwarded-for}i': 'forwarded',
  '%t': 'clf',
  '%r': 'request',
  '%m': 'method',
  '%U': 'target',
  '%q': 'query',
  '%s': 'status',
  '%b': 'bytes',
  '%B': 'bytes',
  '%O': 'bytes',
  '%v': 'host',
  '%V': 'host',
  '%{host}i': 'host',
  '%{x-forwarded-proto}i': 'scheme',
  '%{referer}i': 'referer',
  '%{user-agent}i': 'agent',
  $remote_addr: 'address',
  $binary_remote_addr: null,
  $http_x_forwarded_for: 'forwarded',
  $proxy_add_x_forwarded_for: 'forwarded',
  $time_local: 'clf',
  $time_iso8601: 'iso',
  $msec: 'epoch',
  $request: 'request',
  $request_method: 'method',
  $request_uri: 'target',
  $uri: 'target',
  $args: 'query',
  $query_string: 'query',
  $status: 'status',
  $body_bytes_sent: 'bytes',
  $bytes_sent: 'bytes',
  $host: 'host',
  $http_host: 'host',
  $server_name: 'host',
  $scheme: 'scheme',
  $http_x_forwarded_proto: 'scheme',
  $ssl_protocol: 'scheme',
  $http_referer: 'referer',
  $http_user_agent: 'agent',
};
