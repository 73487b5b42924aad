package io.weir.core.answer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A problem as text. */
public final class ProblemText {
  // RFC 9209, section 2.3: marks the answer as Weir's, not the upstream's, with the reason.
  private static final Map<Integer, String> PROXY_ERRORS = Map.of(
      502, "destination_unavailable", 503, "proxy_internal_error", 504, "http_response_timeout");

  // Only an operator can mend these: a wait would promise what time does not bring.
  private static final Set<String> FOR_OPERATORS = Set.of("plan_missing", "upstream_key_missing");

  private static final Map<String, String> OF_STRANGERS = Map.of("WWW-Authenticate", "Bearer");
  private static final Map<String, String> SOON = Map.of("Retry-After", "1");
  private static final int USUAL_LENGTH = 512;

  private ProblemText() {}

  /** The header fields of a refusal besides those of its decision, which take precedence. */
  public static Map<String, String> fields(Problem problem) {
    return fields(problem.status(), problem.code());
  }

  /** The same for a status and the code of a problem. */
  public static Map<String, String> fields(int status, String code) {
    if (status == 401) {
      return OF_STRANGERS;
    }
    Map<String, String> wait =
        (status == 503 || status == 429) && !FOR_OPERATORS.contains(code) ? SOON : Map.of();
    if (!PROXY_ERRORS.containsKey(status)) {
      return wait;
    }
    Map<String, String> fields = new LinkedHashMap<>(wait);
    fields.put("Proxy-Status", proxyStatus(status, code));
    return fields;
  }

  /** The Proxy-Status value that marks an answer of 502, 503 or 504 as Weir's own, with the reason. */
  public static String proxyStatus(int status, String code) {
    return "weir;error=%s;details=\"%s\"".formatted(PROXY_ERRORS.get(status), code);
  }

  /** The members as JSON. */
  public static String json(Problem problem) {
    StringBuilder json = new StringBuilder(USUAL_LENGTH);
    quote(problem.type(), json.append("{\"type\":"));
    quote(problem.title(), json.append(",\"title\":"));
    json.append(",\"status\":").append(problem.status());
    quote(problem.code(), json.append(",\"code\":"));
    appendMembers(problem.more(), ",", json);
    return json.append('}').toString();
  }

  private static void append(@Nullable Object value, StringBuilder json) {
    if (value instanceof Map<?, ?> map) {
      json.append('{');
      appendMembers(map, "", json);
      json.append('}');
    } else if (value instanceof List<?> list) {
      json.append('[');
      for (int i = 0; i < list.size(); i++) {
        append(list.get(i), i == 0 ? json : json.append(','));
      }
      json.append(']');
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      json.append(value);
    } else {
      quote(String.valueOf(value), json);
    }
  }

  private static void appendMembers(Map<?, ?> members, String first, StringBuilder json) {
    String before = first;
    for (Map.Entry<?, ?> member : members.entrySet()) {
      quote(String.valueOf(member.getKey()), json.append(before));
      append(member.getValue(), json.append(':'));
      before = ",";
    }
  }

  // RFC 8259, section 7.
  private static void quote(String text, StringBuilder json) {
    json.append('"');
    if (isPlain(text)) {
      json.append(text);
    } else {
      appendEscaped(text, json);
    }
    json.append('"');
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\' || c < ' ') {
        return false;
      }
    }
    return true;
  }

  private static void appendEscaped(String text, StringBuilder json) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
  }
}
