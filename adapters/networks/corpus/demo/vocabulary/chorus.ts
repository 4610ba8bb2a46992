/** Lines that fit nearly anything: joining in, agreeing, passing something on. */
export const JOIN_QUESTION = [
  'Came here to ask the same thing.',
  'I was wondering about that too.',
  'Good question, following along.',
  'Asking for a friend as well. The friend is me.',
  'Yes please, I would like to know too.',
  'Glad somebody asked.',
  'My mother wants to know this as well.',
  'Same question from {mytown}!',
];

export const JOIN_REMARK = [
  'This!',
  'Could not have said it better.',
  'Same in {mytown}.',
  'Ha, exactly.',
  'You two make me smile.',
  'Seconded.',
  'Best exchange I have read all day.',
  'Somebody frame this.',
  'I am telling everyone in {mytown}.',
  'Agreed, and I live next door.',
  'Well put.',
  'I laughed out loud on the ferry.',
];

export const CODA = [
  'Any time!',
  'Always a pleasure.',
  'Wonderful.',
  'Ha! Deal.',
  'Take care, {reader}!',
  'Good to hear from you, {reader}.',
];

export const APPLAUSE = [
  'Lovely.',
  'Love this!',
  'Thank you for posting this.',
  'This made my morning.',
  'Made my day, honestly.',
  'Showing this to my whole family.',
  'Oh, how good!',
  'I look forward to your posts, you know.',
  'More of this, please.',
  'Sending this to my sister.',
  'I read these aloud to the cat.',
  'Greetings from {mytown}!',
  'Read it out loud at breakfast. Approved by all.',
  'This is why I am on here.',
  'Simply delightful.',
];

export const QUOTES = [
  'Passing this on.',
  'Worth your time.',
  'For everyone in {mytown}:',
  'Nice one.',
  'Read this, then the replies.',
  'Yes!',
  'Good to know.',
  'In case you missed it.',
  'I keep coming back to this.',
  'You heard them.',
  'More of this in my feed, please.',
];
