package io.weir.node.envoy.rule;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.bucket.Names;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * The name of the subject of a descriptor: {@code domain:key=value,key=value}. Different descriptors have different
 * names: characters that have a meaning in names, and those that names have not, are escaped as in addresses, and the end
 * of a name that is too long is a digest of the whole.
 */
final class SubjectName {
  private static final String SPECIAL = "%:,=~*";
  private static final int DIGEST_CHARACTERS = 43;
  private static final int KEPT = Names.MAX_SUBJECT - DIGEST_CHARACTERS - 1;
  private static final String HEX = "0123456789ABCDEF";

  private SubjectName() {}

  static String of(String domain, EnvoyRule rule, List<Entry> entries) {
    StringBuilder name = new StringBuilder();
    escape(domain, name);
    for (int i = 0; i < entries.size(); i++) {
      name.append(i == 0 ? ':' : ',');
      escape(entries.get(i).key(), name);
      name.append('=');
      EntryMatch match = rule.match().get(i);
      if (match.shared()) {
        name.append('*');
        escape(match.value().orElse(""), name);
      } else {
        escape(entries.get(i).value(), name);
      }
    }
    return name.length() <= Names.MAX_SUBJECT
        ? name.toString()
        : name.substring(0, KEPT) + "~" + digest(name.toString());
  }

  private static void escape(String text, StringBuilder to) {
    for (byte unsigned : text.getBytes(UTF_8)) {
      char c = (char) (unsigned & 0xff);
      if (c > ' ' && c < 0x7f && SPECIAL.indexOf(c) < 0) {
        to.append(c);
      } else {
        to.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
      }
    }
  }

  private static String digest(String name) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
