/** The process that serves, as the test sees it: it is started, told the time, given what it reads, and killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { bundleForTests } from '../../../app/build/test-bundle.mjs';
import type { Question, Reply } from './network.js';
import type { Message, Opening, Said } from './service-process.js';

const ROOT = new URL('../../../', import.meta.url);
/** The longest that a process may take to start on a busy machine. */
export const START_MS = 90_000;

/** The program that they run. It is there while any of them is open, since all have the same sources. */
const FILE = `node_modules/.cache/perch-tests/books-${process.pid}.mjs`;
let bundled = Promise.resolve();
let users = 0;

export interface ServiceProcess {
  readonly url: string;
  /** Resolves once the process has the time. */
  setTime(nowMs: number): Promise<void>;
  /** As the system would: nothing is drained, and nothing in its memory is written. */
  kill(): Promise<void>;
}

/** Starts processes, and loads the next one while the current one serves. */
export class Processes {
  readonly #answer: (question: Question) => Promise<Reply>;
  #next: Promise<ChildProcess>;

  static async open(answer: (question: Question) => Promise<Reply>): Promise<Processes> {
    users += 1;
    if (users === 1) bundled = bundleForTests('test/models/books/service-process.ts', FILE);
    await bundled;
    return new Processes(answer);
  }

  private constructor(answer: (question: Question) => Promise<Reply>) {
    this.#answer = answer;
    this.#next = this.#load();
  }

  async start(opening: Opening): Promise<ServiceProcess> {
    const child = await this.#next;
    this.#next = this.#load();
    child.on('message', (said: Said) => {
      if (said.said === 'question') void this.#reply(child, said);
    });
    const listening = received(child, 'listening');
    send(child, { open: opening });
    const { url } = await listening;
    return {
      url,
      async setTime(nowMs) {
        const set = received(child, 'time is set');
        send(child, { nowMs });
        await set;
      },
      kill: () => kill(child),
    };
  }

  async close(): Promise<void> {
    await kill(await this.#next);
    users -= 1;
    if (users === 0) await rm(new URL(FILE, ROOT), { force: true });
  }

  async #load(): Promise<ChildProcess> {
    const child = fork(new URL(FILE, ROOT), {
      execArgv: [],
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await received(child, 'loaded');
    return child;
  }

  async #reply(child: ChildProcess, { id, question }: Extract<Said, { said: 'question' }>): Promise<void> {
    send(child, { answer: id, reply: await this.#answer(question) });
  }
}

/** A process that was killed gets no messages. */
function send(child: ChildProcess, message: Message): void {
  if (child.connected) child.send(message, () => {});
}

function received<T extends Said['said']>(child: ChildProcess, what: T): Promise<Extract<Said, { said: T }>> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      child.off('message', listen);
      child.off('exit', ended);
    };
    const listen = (said: Said): void => {
      if (said.said !== what) return;
      finish();
      resolve(said as Extract<Said, { said: T }>);
    };
    const fail = (why: string): void => {
      finish();
      reject(new Error(`The service ${why} while the test waited for: ${what}.`));
    };
    const ended = (code: number | null): void => fail(`ended with ${code}`);
    const timer = setTimeout(() => fail(`was silent for ${START_MS} ms`), START_MS);
    child.on('message', listen);
    child.on('exit', ended);
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
