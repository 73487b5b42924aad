package io.weir.batch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.buffer.Buffer;
import io.weir.batch.Mistakes.BadBatchException;
import io.weir.node.json.JsonInput;
import io.weir.node.json.JsonText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A parsed batch.
 *
 * @param items in the order in which they are executed
 * @param earlier results of the first items, which have been executed already
 */
record BatchRequest(List<Item> items, List<Result> earlier) {
  static final int MAX_ITEMS = 256;

  /** Reads {@code {"items": […]}}, or {@code {"batch": {"items": […]}, "answer": {"results": […]}}}. */
  static BatchRequest parse(byte[] body) throws BadBatchException {
    try (JsonParser json = JsonInput.parser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw noObject(json.currentToken() == null ? JsonInput.NOTHING : JsonInput.OTHER_VALUE);
      }
      Reader reader = new Reader(json);
      BatchRequest request = reader.batch();
      if (json.nextToken() != null) {
        throw noObject(JsonInput.SEVERAL_VALUES);
      }
      reader.mistakes.throwIfAny();
      return request;
    } catch (IOException e) {
      throw noObject(JsonInput.fault(e));
    }
  }

  /**
   * The first item of a batch, by its beginning. Empty if the item does not end there or is wrong, or if results of
   * earlier items may follow.
   */
  static Optional<Item> firstItem(byte[] start) {
    try (JsonParser json = JsonInput.parser(start)) {
      boolean isShort = json.nextToken() == JsonToken.START_OBJECT
          && Reader.ITEMS.equals(json.nextFieldName())
          && json.nextToken() == JsonToken.START_ARRAY
          && json.nextToken() == JsonToken.START_OBJECT;
      if (!isShort) {
        return Optional.empty();
      }
      Mistakes mistakes = new Mistakes();
      Item first = new ItemReader(json, mistakes, "items[0]").item();
      mistakes.throwIfAny();
      return Optional.of(first);
    } catch (IOException | BadBatchException e) {
      return Optional.empty(); // the mistakes of the whole batch are listed once it is read
    }
  }

  private static BadBatchException noObject(String why) {
    return Mistakes.only(JsonInput.mistake(why));
  }

  /** Reads a document in one pass. Mutable; for one request. */
  private static final class Reader {
    private static final String ITEMS = "items";

    private final JsonParser json;
    private final Mistakes mistakes = new Mistakes();
    private final List<Item> items = new ArrayList<>();
    private final List<Result> earlier = new ArrayList<>();
    private boolean hasItems;
    private int results;

    Reader(JsonParser json) {
      this.json = json;
    }

    BatchRequest batch() throws IOException, BadBatchException {
      boolean isShort = false;
      boolean goesOn = false;
      boolean hasAnswer = false;
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken token = json.nextToken();
        if (name.equals(ITEMS)) {
          isShort = true;
          items("");
        } else if (name.equals("batch") && token == JsonToken.START_OBJECT) {
          goesOn = true;
          members("batch.", ITEMS);
        } else if (name.equals("answer") && token == JsonToken.START_OBJECT) {
          hasAnswer = true;
          members("answer.", "results");
        } else {
          mistakes.add(
              Mistakes.shown(name), "unknown (expected: items, or the objects batch and answer)");
          json.skipChildren();
        }
      }
      if (isShort && goesOn) {
        mistakes.add(ITEMS, "beside batch (expected: one of them)");
      }
      if (isShort && hasAnswer) {
        mistakes.add("answer", "beside items (expected: beside batch)");
      }
      if (!hasItems) {
        mistakes.add(goesOn ? "batch.items" : ITEMS, expectedItems());
      }
      if (results > items.size()) {
        mistakes.add("answer.results", "(expected: a list, no longer than the items)");
      }
      return new BatchRequest(items, executed());
    }

    // Only the results of an earlier answer are needed; its other members are skipped.
    private void members(String place, String wanted) throws IOException, BadBatchException {
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        json.nextToken();
        if (!name.equals(wanted)) {
          if (wanted.equals(ITEMS)) {
            mistakes.add(place + Mistakes.shown(name), "unknown (expected: items)");
          }
          json.skipChildren();
        } else if (wanted.equals(ITEMS)) {
          items(place);
        } else {
          earlier();
        }
      }
    }

    private void items(String place) throws IOException, BadBatchException {
      if (hasItems || json.currentToken() != JsonToken.START_ARRAY) {
        mistakes.add(place + ITEMS, expectedItems());
        json.skipChildren();
        return;
      }
      while (json.nextToken() != JsonToken.END_ARRAY) {
        String at = "%sitems[%d]".formatted(place, items.size());
        if (items.size() == MAX_ITEMS) {
          throw Mistakes.only(place + ITEMS + ": " + expectedItems());
        }
        items.add(new ItemReader(json, mistakes, at).item());
      }
      hasItems = !items.isEmpty();
    }

    private void earlier() throws IOException, BadBatchException {
      if (json.currentToken() != JsonToken.START_ARRAY) {
        mistakes.add("answer.results", "(expected: a list, no longer than the items)");
        json.skipChildren();
        return;
      }
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (json.currentToken() != JsonToken.START_OBJECT) {
          mistakes.add("answer.results[%d]".formatted(results), "(expected: an object)");
          json.skipChildren();
        } else if (results < MAX_ITEMS) {
          Buffer result = Buffer.buffer(JsonText.copied(json));
          earlier.add(Result.parse(result).orElse(Result.NOT_ATTEMPTED));
        } else {
          json.skipChildren();
        }
        results++;
      }
    }

    // Only the leading executed results: execution continues after them.
    private List<Result> executed() {
      return earlier.stream().takeWhile(Result::isExecuted).toList();
    }

    private static String expectedItems() {
      return "(expected: a list of 1 to %d)".formatted(MAX_ITEMS);
    }
  }
}
