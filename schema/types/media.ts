import type { Article, Audio, Media, Poll, PollOption } from '../../src/domain/model.js';
import { builder } from '../builder.js';

const MediaType = builder.enumType('MediaType', {
  description: 'Type of media.',
  values: {
    photo: { description: 'A still image.' },
    video: { description: 'A video.' },
    animated_gif: { description: 'A short, silent, looping video.' },
  },
});

export const MediaRef = builder.objectRef<Media>('Media').implement({
  description: 'An image or video in a tweet. Free: part of the tweet.',
  fields: (t) => ({
    type: t.expose('type', { type: MediaType, nullable: false, description: 'photo, video or animated_gif. Free.' }),
    url: t.exposeString('url', { description: 'URL of the image, or of the MP4 with the highest bitrate. Free.' }),
    previewUrl: t.exposeString('previewUrl', { description: 'URL of a preview image of a video. Free.' }),
    width: t.exposeInt('width', { description: 'Pixels. Free.' }),
    height: t.exposeInt('height', { description: 'Pixels. Free.' }),
    altText: t.exposeString('altText', { description: 'What it shows, as described by its author. Free.' }),
  }),
});

export const AudioRef = builder.objectRef<Audio>('Audio').implement({
  description: 'An audio file in a tweet. Free: part of the tweet.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the audio file. Free.' }),
    altText: t.exposeString('altText', { description: 'What it contains, as described by its author. Free.' }),
  }),
});

const PollOptionRef = builder.objectRef<PollOption>('PollOption').implement({
  description: 'An option of a poll. Free: part of the tweet.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: false, description: 'The option. Free.' }),
    votes: t.expose('votes', { type: 'Count', description: 'Votes for it; null while the network hides them. Free.' }),
  }),
});

export const PollRef = builder.objectRef<Poll>('Poll').implement({
  description: 'A poll in a tweet. Free: part of the tweet.',
  fields: (t) => ({
    options: t.field({
      type: [PollOptionRef],
      nullable: false,
      description: 'The options, in their order. Free.',
      resolve: (poll) => poll.options,
    }),
    endsAt: t.expose('endsAt', { type: 'DateTime', description: 'Time when voting ends or ended. Free.' }),
  }),
});

export const ArticleRef = builder.objectRef<Article>('Article').implement({
  description: 'An article or page that a tweet presents with its title. Free: part of the tweet.',
  fields: (t) => ({
    title: t.exposeString('title', { nullable: false, description: 'The title. Free.' }),
    url: t.exposeString('url', { description: 'The link. Free.' }),
  }),
});
