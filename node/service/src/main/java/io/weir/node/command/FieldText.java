package io.weir.node.command;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the text of a field as the shared state is shown: a raw number, and maybe its meaning in parentheses. */
public final class FieldText {
  private static final Pattern INSTANT = Pattern.compile("\\((\\d{4}-[\\d-]+T[\\d:.]+Z)");

  private static final Pattern MEANING = Pattern.compile("\\S+ \\((.*)\\)");

  private FieldText() {}

  /** The meaning; the whole text if it has none. */
  public static String meaning(String text) {
    Matcher words = MEANING.matcher(text);
    return words.matches() ? words.group(1) : text;
  }

  /** The number before the meaning; 0 if there is none. */
  public static long number(String text) {
    String number = text.split(" ", 2)[0];
    return number.matches("-?\\d{1,18}") ? Long.parseLong(number) : 0;
  }

  /** The instant that the number means, if it is one. */
  public static Optional<String> instant(String text) {
    Matcher found = INSTANT.matcher(text);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }
}
