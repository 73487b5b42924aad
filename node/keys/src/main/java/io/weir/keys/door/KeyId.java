package io.weir.keys.door;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.bucket.Names;
import io.weir.keys.record.RecordType;
import io.weir.node.intake.RoutedRequest;
import java.net.URLDecoder;

/** The id of a key, or the name of a subject, in the path of a request, with escapes ({@code user%3A4711}). */
final class KeyId {
  /** The parameter of the path. */
  static final String PARAMETER = "id";

  /** Its form: each of 128 characters may be escaped. */
  static final String PATTERN = "[!-~&&[^/?#]]{1,384}";

  private KeyId() {}

  /** Throws the refusal of an unknown key if no subject can have the name. */
  static String of(RoutedRequest request) {
    String name = unescaped(request.parameter(PARAMETER));
    if (!Names.isSubject(name)) {
      throw RecordService.unknown(RecordType.KEY);
    }
    return name;
  }

  private static String unescaped(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException e) {
      return ""; // a broken escape
    }
  }
}
