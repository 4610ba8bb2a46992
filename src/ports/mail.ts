/** Mail to customers: plain text, to one address. */

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mail {
  /** Resolves once a server has taken the message; rejects if none did, with a message for the operator. */
  send(message: Message): Promise<void>;
}
