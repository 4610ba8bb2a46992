// every server that would listen on a bare port listens on 127.0.0.1 only
import net from 'node:net';

const orig = net.Server.prototype.listen;
net.Server.prototype.listen = function (...a) {
  if (typeof a[0] === 'number' || (typeof a[0] === 'string' && /^\d+$/.test(a[0]))) {
    if (typeof a[1] === 'string') return orig.apply(this, a);
    return orig.call(
      this,
      { port: Number(a[0]), host: '127.0.0.1' },
      a.find((x) => typeof x === 'function'),
    );
  }
  if (a[0] && typeof a[0] === 'object' && a[0].port !== undefined && !a[0].host) a[0] = { ...a[0], host: '127.0.0.1' };
  return orig.apply(this, a);
};
