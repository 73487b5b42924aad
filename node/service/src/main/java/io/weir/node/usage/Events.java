package io.weir.node.usage;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/**
 * Extracts the data from a stream of events as it passes (HTML Living Standard, section 9.2.6, server-sent events). An
 * event that is too long is left out. Mutable; used by one request.
 */
final class Events {
  private static final int MOST_BYTES = 64 << 10;
  private static final byte[] FIELD = {'d', 'a', 't', 'a', ':'};

  private final Consumer<byte[]> data;
  private final ByteArrayOutputStream event = new ByteArrayOutputStream();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean isTooLong;
  private boolean wasReturn;

  /** @param data gets the data of each event */
  Events(Consumer<byte[]> data) {
    this.data = data;
  }

  void feed(byte[] bytes) {
    for (byte one : bytes) {
      boolean isSecondOfTwo = one == '\n' && wasReturn;
      wasReturn = one == '\r';
      if (isSecondOfTwo) {
        continue;
      }
      if (one == '\n' || one == '\r') {
        endLine();
      } else if (line.size() < MOST_BYTES) {
        line.write(one);
      } else {
        isTooLong = true;
      }
    }
  }

  private void endLine() {
    byte[] text = line.toByteArray();
    line.reset();
    if (text.length == 0) {
      endEvent();
    } else if (isData(text)) {
      int from = text.length > FIELD.length && text[FIELD.length] == ' ' ? 1 : 0;
      isTooLong |= event.size() + text.length > MOST_BYTES;
      if (!isTooLong) {
        event.write(text, FIELD.length + from, text.length - FIELD.length - from);
        event.write('\n');
      }
    }
  }

  private void endEvent() {
    if (event.size() > 0 && !isTooLong) {
      data.accept(event.toByteArray());
    }
    event.reset();
    isTooLong = false;
  }

  private static boolean isData(byte[] text) {
    if (text.length < FIELD.length) {
      return false;
    }
    for (int i = 0; i < FIELD.length; i++) {
      if (text[i] != FIELD[i]) {
        return false;
      }
    }
    return true;
  }
}
