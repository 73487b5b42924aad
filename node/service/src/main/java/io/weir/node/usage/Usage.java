package io.weir.node.usage;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.SettleRule.Source;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the actual cost of a request from the upstream's answer as it passes, and keeps at most one event of a stream.
 * Mutable; used by one request.
 *
 * <p>Usage objects are read as OpenAI's and Anthropic's references describe them: {@code usage.total_tokens}, or the
 * sum of input and output tokens; in a stream the last ones count.
 */
public final class Usage {
  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,15}");
  private static final byte[] USAGE = "\"usage\"".getBytes(StandardCharsets.US_ASCII);
  private static final long MOST_BYTES = 16L << 20;
  private static final Set<String> OPENAI = Set.of(
      "/usage/total_tokens",
      "/usage/prompt_tokens",
      "/usage/completion_tokens",
      "/usage/input_tokens",
      "/usage/output_tokens",
      "/response/usage/total_tokens");
  private static final Set<String> ANTHROPIC = Set.of(
      "/usage/input_tokens",
      "/usage/output_tokens",
      "/usage/cache_creation_input_tokens",
      "/usage/cache_read_input_tokens",
      "/message/usage/input_tokens",
      "/message/usage/output_tokens",
      "/message/usage/cache_creation_input_tokens",
      "/message/usage/cache_read_input_tokens");

  private final SettleRule rule;
  private final Numbers numbers;
  private @Nullable Events events;
  private OptionalLong named = OptionalLong.empty();
  private boolean isReadable;
  private boolean isWhole;
  private long seen;

  /** @param rule where the cost is */
  public Usage(SettleRule rule) {
    this.rule = rule;
    this.numbers = new Numbers(
        switch (rule.source()) {
          case OPENAI -> OPENAI;
          case ANTHROPIC -> ANTHROPIC;
          default -> Set.of(rule.name());
        });
  }

  /** Whether the end of the answer must be read, even if the caller has hung up. */
  public boolean needsTheEnd() {
    return rule.source() != Source.HEADER && rule.source() != Source.CALLER;
  }

  /** Whether the body is read: then the upstream must not compress it. */
  public boolean needsTheBody() {
    return needsTheEnd() && rule.source() != Source.TRAILER;
  }

  /** Reads the head of the answer. */
  public void head(MultiMap headers) {
    if (rule.source() == Source.HEADER) {
      named = number(headers.get(rule.name()));
    }
    String type = headers.contains(HttpHeaders.CONTENT_TYPE)
        ? headers.get(HttpHeaders.CONTENT_TYPE).toLowerCase(Locale.ROOT)
        : "";
    isReadable = needsTheBody() && !headers.contains(HttpHeaders.CONTENT_ENCODING);
    if (type.startsWith("text/event-stream")) {
      events = new Events(this::event);
    }
  }

  /** Reads a piece of the body. */
  public void chunk(Buffer chunk) {
    if (!isReadable) {
      return;
    }
    Events stream = events;
    if (stream != null) {
      stream.feed(chunk.getBytes());
      return;
    }
    seen += chunk.length();
    if (seen <= MOST_BYTES) {
      numbers.feed(chunk.getBytes());
    }
  }

  /** Reads the trailers at the end of the answer; not called if it broke off. */
  public void end(MultiMap trailers) {
    isWhole = true;
    if (rule.source() == Source.TRAILER) {
      named = number(trailers.get(rule.name()));
    }
  }

  /** The cost in operations; empty if the answer does not contain it. */
  public OptionalLong cost() {
    if (needsTheEnd() && !isWhole) {
      return OptionalLong.empty();
    }
    OptionalLong number = number();
    return number.isPresent()
        ? OptionalLong.of(CostRule.divided(number.getAsLong(), rule.divisor()))
        : number;
  }

  private OptionalLong number() {
    return switch (rule.source()) {
      case HEADER, TRAILER -> named;
      case JSON -> numbers.at(rule.name());
      case OPENAI -> openAi();
      case ANTHROPIC -> anthropic();
      case CALLER -> OptionalLong.empty();
    };
  }

  // Most events of a stream have no usage; those are not parsed.
  private void event(byte[] data) {
    if (rule.source() == Source.JSON || contains(data, USAGE)) {
      numbers.read(data);
    }
  }

  private OptionalLong openAi() {
    OptionalLong total = first("/usage/total_tokens", "/response/usage/total_tokens");
    return total.isPresent()
        ? total
        : sum(
            first("/usage/prompt_tokens", "/usage/input_tokens"),
            first("/usage/completion_tokens", "/usage/output_tokens"));
  }

  private OptionalLong anthropic() {
    return sum(
        either("input_tokens"),
        either("cache_creation_input_tokens"),
        either("cache_read_input_tokens"),
        either("output_tokens"));
  }

  // The last events of a stream repeat the fields that have changed.
  private OptionalLong either(String field) {
    return first("/usage/" + field, "/message/usage/" + field);
  }

  private OptionalLong first(String pointer, String other) {
    OptionalLong number = numbers.at(pointer);
    return number.isPresent() ? number : numbers.at(other);
  }

  private static OptionalLong sum(OptionalLong... parts) {
    return Stream.of(parts).anyMatch(OptionalLong::isPresent)
        ? OptionalLong.of(Stream.of(parts).mapToLong(part -> part.orElse(0)).sum())
        : OptionalLong.empty();
  }

  private static OptionalLong number(@Nullable String text) {
    return text != null && WHOLE.matcher(text.strip()).matches()
        ? OptionalLong.of(Long.parseLong(text.strip()))
        : OptionalLong.empty();
  }

  private static boolean contains(byte[] data, byte[] part) {
    for (int i = 0; i + part.length <= data.length; i++) {
      int j = 0;
      while (j < part.length && data[i + j] == part[j]) {
        j++;
      }
      if (j == part.length) {
        return true;
      }
    }
    return false;
  }
}
