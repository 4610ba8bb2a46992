import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';

/** A network whose authors post when a test says so, so that tests beside each other follow one each. */
export function createNews() {
  const net = createScriptedNetwork();
  let next = 100;
  const nextId = (): string => {
    next += 1;
    return String(next);
  };
  /** An author who posts into a timeline, and into a search for the same handle. The list has a first tweet. */
  const author = (handle: string) => {
    const { id } = net.user({ id: nextId(), handle });
    const shown: string[] = [];
    const post = (text: string): string => {
      const tweet = net.tweet({ id: nextId(), authorId: id, text, createdAt: new Date().toISOString() });
      shown.unshift(tweet.id);
      net.list('timeline', id, shown, { pageSize: 40 });
      net.list('search', handle, shown, { pageSize: 40, product: 'Latest' });
      return tweet.id;
    };
    post('the first');
    return { id, shown, post };
  };
  return { net, network: net.network, author };
}
