package io.weir.node.check;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.core.bucket.Names;
import io.weir.core.policy.CostRule;
import io.weir.node.answer.Tickets;
import io.weir.node.check.CheckRequest.Check;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A fast reader for the usual small request: an object of known members, once each, with plain ASCII texts. Any other
 * request is left to the full parser, which reports every mistake. Mutable; for one body.
 */
final class SmallCheck {
  private static final int MAX_LENGTH = 1024;
  private static final int MAX_DIGITS = 15;
  private static final int MAX_TICKET = 64;

  private final byte[] body;
  private int at;
  private @Nullable String key;
  private @Nullable String subject;
  private @Nullable String operation;
  private @Nullable String ticket;
  private long cost;
  private int wantsTicket = -1;

  private SmallCheck(byte[] body) {
    this.body = body;
  }

  /** The request; null if the full parser must read it. */
  static @Nullable CheckRequest read(byte[] body) {
    if (body.length > MAX_LENGTH) {
      return null;
    }
    SmallCheck check = new SmallCheck(body);
    return check.isRead() ? check.request() : null;
  }

  private boolean isRead() {
    if (next() != '{') {
      return false;
    }
    byte separator;
    do {
      String name = next() == '"' ? text() : null;
      if (name == null || next() != ':' || !isMember(name)) {
        return false;
      }
      separator = next();
    } while (separator == ',');
    return separator == '}' && next() == 0 && at > body.length;
  }

  private boolean isMember(String name) {
    return switch (name) {
      case "key" -> key == null && (key = textValue()) != null;
      case "subject" -> subject == null && (subject = textValue()) != null;
      case "operation" -> operation == null && (operation = textValue()) != null;
      case "cost" -> cost == 0 && (cost = number()) > 0;
      case "ticket" -> wantsTicket < 0 && isTicket();
      default -> false;
    };
  }

  private @Nullable CheckRequest request() {
    String named = operation;
    if ((key == null) == (subject == null) || named == null || !Names.isName(named)) {
      return null;
    }
    return new CheckRequest(
        List.of(new Check(
            Optional.ofNullable(key),
            Optional.ofNullable(subject),
            named,
            cost == 0 ? OptionalLong.empty() : OptionalLong.of(cost),
            Tickets.of(Optional.ofNullable(ticket), wantsTicket > 0))),
        false);
  }

  private @Nullable String textValue() {
    return next() == '"' ? text() : null;
  }

  private boolean isTicket() {
    if (next() == '"') {
      ticket = text();
      wantsTicket = 1;
      return ticket != null && ticket.length() <= MAX_TICKET;
    }
    at--;
    wantsTicket = isWord("true") ? 1 : isWord("false") ? 0 : -1;
    return wantsTicket >= 0;
  }

  private boolean isWord(String word) {
    if (at + word.length() > body.length) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (body[at + i] != word.charAt(i)) {
        return false;
      }
    }
    at += word.length();
    return true;
  }

  // Reads from behind the opening quote; null if the text is not plain.
  private @Nullable String text() {
    int begin = at;
    while (at < body.length && body[at] != '"') {
      if (body[at] < ' ' || body[at] == '\\') {
        return null; // an escape, a control character, or a non-ASCII byte
      }
      at++;
    }
    return at++ < body.length ? new String(body, begin, at - 1 - begin, ISO_8859_1) : null;
  }

  // 0 if it is not a cost.
  private long number() {
    byte first = next();
    if (first < '1' || first > '9') {
      return 0;
    }
    long value = (long) first - '0';
    int digits = 1;
    while (at < body.length && body[at] >= '0' && body[at] <= '9') {
      value = value * 10 + body[at++] - '0';
      digits++;
    }
    boolean ends = at < body.length && (body[at] == ',' || body[at] == '}' || isSpace(body[at]));
    return ends && digits <= MAX_DIGITS && value <= CostRule.MAX_COST ? value : 0;
  }

  // The next byte that is not a space; 0 at the end.
  private byte next() {
    while (at < body.length && isSpace(body[at])) {
      at++;
    }
    return at++ < body.length ? body[at - 1] : 0;
  }

  private static boolean isSpace(byte c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }
}
