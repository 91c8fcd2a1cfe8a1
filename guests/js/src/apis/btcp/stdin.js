// btcp.stdin: standard input of a tool that the command `js` runs.
(function (native, internal) {
  'use strict';

  const { decodeUtf8, hostCall, members } = internal;
  const read = hostCall('input.read', '', 'r');

  // Every call returns a promise of the same text.
  members.stdin = () => {
    let text;
    const whole = async () => {
      const pieces = [];
      let length = 0;
      for (;;) {
        const piece = await read();
        if (piece.length === 0) break;
        pieces.push(piece);
        length += piece.length;
      }
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const piece of pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
      return decodeUtf8(bytes);
    };
    return () => (text ??= whole());
  };
});
