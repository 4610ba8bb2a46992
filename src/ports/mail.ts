/** Mail to customers: plain text, one address. */

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mail {
  /** Resolves once a server has taken the message; rejects when none did, with words for the operator. */
  send(message: Message): Promise<void>;
}
