/** The rights of a token (api-spec.md §5). */
export const SCOPES = ['account:read', 'account:write', 'projects:read', 'projects:write'] as const;
export type TokenScope = (typeof SCOPES)[number];

/** Returns the standard spelling of a scope: OAuth2 names the project scopes `project:*` (spec-notes.md 27). */
export function canonicalScope(scope: string): string {
  return scope.replace(/^project:/, 'projects:');
}
