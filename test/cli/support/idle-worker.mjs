// A worker that reports that it serves, and does nothing until it is killed.
process.on('message', ({ say }) => {
  if (say === 'serve') process.send({ say: 'serving', url: 'http://127.0.0.1:1' });
});
process.send({ say: 'ready' });
