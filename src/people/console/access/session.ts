/** What a person may do: read, or also start and drop things. */
export type Role = 'reader' | 'operator';

export interface SignedIn {
  readonly subject: string;
  readonly role: Role;
  /** Every form that changes something sends it back. */
  readonly csrf: string;
}
