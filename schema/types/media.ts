import type { Media } from '../../src/core/model.js';
import { builder } from '../builder.js';

const MediaType = builder.enumType('MediaType', {
  description: 'What kind of media it is.',
  values: {
    photo: { description: 'A still picture.' },
    video: { description: 'A video.' },
    animated_gif: { description: 'A short, silent, looping video.' },
  },
});

export const MediaRef = builder.objectRef<Media>('Media').implement({
  description: 'A picture or video of a tweet. Free: part of the tweet.',
  fields: (t) => ({
    type: t.expose('type', { type: MediaType, nullable: false, description: 'photo, video or animated_gif. Free.' }),
    url: t.exposeString('url', { description: 'The picture, or the MP4 with the highest bitrate. Free.' }),
    previewUrl: t.exposeString('previewUrl', { description: 'A still of a video. Free.' }),
    width: t.exposeInt('width', { description: 'Pixels. Free.' }),
    height: t.exposeInt('height', { description: 'Pixels. Free.' }),
  }),
});
