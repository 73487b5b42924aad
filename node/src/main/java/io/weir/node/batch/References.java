package io.weir.node.batch;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import io.weir.node.batch.BatchRequest.Item;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts what earlier items brought where an item refers to it: {@code {"from": 0, "path": "/streamId"}},
 * an object of just these two, stands for what is at that JSON pointer (RFC 6901) in the body of that item's
 * answer.
 */
final class References {
  private static final Pattern BRACES = Pattern.compile("\\{([A-Za-z0-9_]{1,64})\\}");

  private static final int MAX_POINTER = 1000;

  private final List<JsonObject> results;
  private long bytesLeft;

  /** @param maxBytes that references may bring, all together */
  References(List<JsonObject> results, long maxBytes) {
    this.results = results;
    this.bytesLeft = maxBytes;
  }

  /** A reference that leads nowhere. */
  static final class UnresolvedException extends Exception {
    private static final long serialVersionUID = 1L;

    UnresolvedException(String message) {
      super(message, null, false, false);
    }
  }

  /** The path of an item, with what stands for the names in braces. */
  String path(Item item) throws UnresolvedException {
    Matcher names = BRACES.matcher(item.path());
    StringBuilder path = new StringBuilder();
    while (names.find()) {
      names.appendReplacement(
          path, Matcher.quoteReplacement(segment(names.group(1), item.parameters())));
    }
    return names.appendTail(path).toString();
  }

  /** A value with all references in it replaced. */
  @Nullable
  Object resolved(@Nullable Object value) throws UnresolvedException {
    if (value instanceof JsonArray array) {
      JsonArray copy = new JsonArray();
      for (int i = 0; i < array.size(); i++) {
        copy.add(resolved(array.getValue(i)));
      }
      return copy;
    }
    if (!(value instanceof JsonObject object)) {
      return value;
    }
    if (isReference(object)) {
      return referred(object);
    }
    JsonObject copy = new JsonObject();
    for (Map.Entry<String, Object> member : object) {
      copy.put(member.getKey(), resolved(member.getValue()));
    }
    return copy;
  }

  private String segment(String name, Map<String, Object> parameters) throws UnresolvedException {
    Object value = resolved(parameters.get(name));
    if (!(value instanceof String || value instanceof Number)) {
      throw new UnresolvedException("the path's {%s} has no text or number".formatted(name));
    }
    return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static boolean isReference(JsonObject object) {
    return object.size() == 2
        && object.getValue("from") instanceof Integer
        && object.getValue("path") instanceof String path
        && (path.isEmpty() || path.startsWith("/"));
  }

  private Object referred(JsonObject reference) throws UnresolvedException {
    int from = reference.getInteger("from");
    String pointer = reference.getString("path");
    if (pointer.length() > MAX_POINTER) {
      throw new UnresolvedException("path: longer than %d characters".formatted(MAX_POINTER));
    }
    if (from < 0 || from >= results.size()) {
      throw new UnresolvedException("from: %d (expected: an earlier item)".formatted(from));
    }
    Object body = results.get(from).getValue("body");
    Object found = body instanceof JsonObject || body instanceof JsonArray
        ? at(pointer, body)
        : pointer.isEmpty() ? body : null;
    if (found == null) {
      throw new UnresolvedException("item %d brought nothing at '%s'".formatted(from, pointer));
    }
    bytesLeft -= Json.encodeToBuffer(found).length();
    if (bytesLeft < 0) {
      throw new UnresolvedException("references bring more than may be sent");
    }
    return found;
  }

  private static @Nullable Object at(String pointer, Object body) throws UnresolvedException {
    try {
      return JsonPointer.from(pointer).queryJson(body);
    } catch (IllegalArgumentException e) {
      throw new UnresolvedException("'%s' is no JSON pointer (RFC 6901)".formatted(pointer));
    }
  }
}
