package io.weir.batch;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.buffer.Buffer;
import io.weir.batch.Item.Parameter;
import io.weir.node.json.JsonInput;
import io.weir.node.json.JsonLookup;
import io.weir.node.json.JsonLookup.BadJsonException;
import io.weir.node.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces references to answers of earlier items: {@code {"from": 0, "path": "/streamId"}}, an object of exactly these
 * two members, stands for the value at that JSON pointer (RFC 6901) in the body of that item's answer. Mutable; for one
 * item.
 */
final class References {
  private static final Pattern BRACES = Pattern.compile("\\{([A-Za-z0-9_]{1,64})\\}");
  private static final int MAX_POINTER = 1000;
  private static final int MAX_REFERENCES = 256;
  private static final int MAX_PATH = 8000;
  /** The most bytes that all references of an item may read together. */
  private static final long MAX_LOOKED_THROUGH = 32 << 20;

  private final List<Result> results;
  private long bytesLeft;
  private long lookLeft = MAX_LOOKED_THROUGH;
  private int count;

  /** @param maxBytes the most bytes that all replaced values may have together */
  References(List<Result> results, long maxBytes) {
    this.results = results;
    this.bytesLeft = maxBytes;
  }

  /** How many bytes references have read so far. */
  long lookedThrough() {
    return MAX_LOOKED_THROUGH - Math.max(0, lookLeft);
  }

  /** A reference without a value. */
  static final class UnresolvedException extends Exception {
    private static final long serialVersionUID = 1L;

    UnresolvedException(String message) {
      super(message, null, false, false);
    }
  }

  /** The path of an item, with its parameters filled in. */
  String path(Item item) throws UnresolvedException {
    Matcher names = BRACES.matcher(item.target().path());
    StringBuilder path = new StringBuilder();
    while (names.find()) {
      String name = names.group(1);
      String segment = segment(name, item.target().parameters().get(name));
      names.appendReplacement(path, Matcher.quoteReplacement(segment));
      if (path.length() > MAX_PATH) {
        throw new UnresolvedException("the path is longer than %d characters".formatted(MAX_PATH));
      }
    }
    return names.appendTail(path).toString();
  }

  /** A body with all its references replaced. */
  Buffer body(Buffer body) throws UnresolvedException {
    if (body.length() == 0) {
      return body;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length());
    try (JsonParser in = JsonInput.parser(body.getBytes());
        JsonGenerator out = JsonText.generator(bytes)) {
      in.nextToken();
      copy(in, out);
    } catch (IOException e) {
      throw new UnresolvedException("the body is no JSON");
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  private void copy(JsonParser in, JsonGenerator out) throws IOException, UnresolvedException {
    if (in.currentToken() == JsonToken.START_OBJECT) {
      copyObject(in, out);
    } else if (in.currentToken() == JsonToken.START_ARRAY) {
      out.writeStartArray();
      while (in.nextToken() != JsonToken.END_ARRAY) {
        copy(in, out);
      }
      out.writeEndArray();
    } else {
      out.copyCurrentEventExact(in);
    }
  }

  private void copyObject(JsonParser in, JsonGenerator out)
      throws IOException, UnresolvedException {
    ReferenceReader reference = new ReferenceReader();
    boolean mayBeOne = true;
    for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
      in.nextToken();
      if (mayBeOne && reference.reads(name, in)) {
        continue;
      }
      if (mayBeOne) {
        reference.writeTo(out);
        mayBeOne = false;
      }
      out.writeFieldName(name);
      copy(in, out);
    }
    if (mayBeOne && reference.isWhole()) {
      out.writeRawValue(new String(found(reference.from()), StandardCharsets.UTF_8));
      return;
    }
    if (mayBeOne) {
      reference.writeTo(out);
    }
    out.writeEndObject();
  }

  private String segment(String name, @Nullable Parameter parameter) throws UnresolvedException {
    String text = parameter instanceof Parameter.Text given
        ? given.text()
        : parameter instanceof Parameter.From from ? scalar(from) : "";
    if (text.isEmpty()) {
      throw new UnresolvedException("the path's {%s} has no text or number".formatted(name));
    }
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private String scalar(Parameter.From from) throws UnresolvedException {
    byte[] found = found(from);
    try (JsonParser json = JsonInput.parser(found)) {
      JsonToken token = json.nextToken();
      return token == JsonToken.VALUE_STRING || token.isNumeric() ? json.getText() : "";
    } catch (IOException e) {
      throw new UnresolvedException("item %d brought no JSON".formatted(from.item()));
    }
  }

  private byte[] found(Parameter.From from) throws UnresolvedException {
    String pointer = from.pointer();
    count++;
    if (count > MAX_REFERENCES) {
      throw new UnresolvedException("more than %d references".formatted(MAX_REFERENCES));
    }
    if (pointer.length() > MAX_POINTER) {
      throw new UnresolvedException("path: longer than %d characters".formatted(MAX_POINTER));
    }
    if (!JsonLookup.isPointer(pointer)) {
      throw new UnresolvedException("'%s' is no JSON pointer (RFC 6901)".formatted(pointer));
    }
    if (from.item() < 0 || from.item() >= results.size()) {
      throw new UnresolvedException("from: %d (expected: an earlier item)".formatted(from.item()));
    }
    lookLeft -= results.get(from.item()).json().length();
    if (lookLeft < 0) {
      throw new UnresolvedException("references look through more than may be");
    }
    byte[] found = at("/body" + pointer, results.get(from.item()), from.item());
    if (found.length == 0) {
      throw new UnresolvedException(
          "item %d brought nothing at '%s'".formatted(from.item(), pointer));
    }
    bytesLeft -= found.length;
    if (bytesLeft < 0) {
      throw new UnresolvedException("references bring more than may be sent");
    }
    return found;
  }

  private static byte[] at(String pointer, Result result, int item) throws UnresolvedException {
    try {
      return JsonLookup.text(result.json().getBytes(), pointer);
    } catch (BadJsonException e) {
      throw new UnresolvedException("item %d: %s".formatted(item, e.getMessage()));
    }
  }
}
