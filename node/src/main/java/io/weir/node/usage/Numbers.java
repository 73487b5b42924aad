package io.weir.node.usage;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds whole numbers in JSON documents as they pass, by their pointers (RFC 6901). A later document replaces what an
 * earlier one said. Mutable; used by one request.
 */
final class Numbers {
  private static final int MAX_DEPTH = 200;
  private static final JsonFactory JSON = JsonFactory.builder()
      .streamReadConstraints(
          StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
      .build();
  private static final long MAX_COST = (1L << 53) - 1;

  private final Set<String> pointers;
  private final Map<String, Long> found = new HashMap<>();
  private final Deque<String> path = new ArrayDeque<>();
  private final Deque<Integer> indexes = new ArrayDeque<>();
  private JsonParser parser = parser();
  private boolean isBroken;

  Numbers(Set<String> pointers) {
    this.pointers = pointers;
  }

  /** A piece of a document. */
  void feed(byte[] bytes) {
    if (isBroken) {
      return;
    }
    try {
      ByteArrayFeeder feeder = (ByteArrayFeeder) parser.getNonBlockingInputFeeder();
      feeder.feedInput(bytes, 0, bytes.length);
      JsonToken token = parser.nextToken();
      while (token != null && token != JsonToken.NOT_AVAILABLE) {
        see(token);
        token = parser.nextToken();
      }
    } catch (IOException e) {
      isBroken = true; // what was found before stands
    }
  }

  /** A whole document. */
  void read(byte[] document) {
    parser = parser();
    path.clear();
    indexes.clear();
    isBroken = false;
    feed(document);
  }

  /** The last number at a pointer. */
  OptionalLong at(String pointer) {
    Long number = found.get(pointer);
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  private static JsonParser parser() {
    try {
      return JSON.createNonBlockingByteArrayParser();
    } catch (IOException e) {
      throw new IllegalStateException("a parser without input does not fail", e);
    }
  }

  private void see(JsonToken token) throws IOException {
    switch (token) {
      case START_OBJECT -> enter(-1);
      case START_ARRAY -> enter(0);
      case END_OBJECT, END_ARRAY -> leave();
      case FIELD_NAME -> path.addLast(parser.currentName().replace("~", "~0").replace("/", "~1"));
      case VALUE_NUMBER_INT -> {
        note();
        passed();
      }
      default -> passed();
    }
  }

  private void enter(int index) {
    if (isInArray()) {
      path.addLast(Integer.toString(indexes.getLast()));
    }
    indexes.addLast(index);
  }

  private void leave() {
    indexes.removeLast();
    if (!path.isEmpty()) {
      path.removeLast();
    }
    countItem();
  }

  private void passed() {
    if (!isInArray() && !path.isEmpty()) {
      path.removeLast();
    }
    countItem();
  }

  private void countItem() {
    if (isInArray()) {
      indexes.addLast(indexes.removeLast() + 1);
    }
  }

  private boolean isInArray() {
    return !indexes.isEmpty() && indexes.getLast() >= 0;
  }

  private void note() throws IOException {
    String pointer = pointer();
    if (pointers.contains(pointer) && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      long value = parser.getLongValue();
      if (value >= 0 && value <= MAX_COST) {
        found.put(pointer, value);
      }
    }
  }

  private String pointer() {
    String to = path.isEmpty() ? "" : "/" + String.join("/", path);
    return isInArray() ? to + "/" + indexes.getLast() : to;
  }
}
