package io.weir.core.policy.schema;

import io.weir.core.bucket.Names;
import io.weir.core.policy.schema.FractionType.Unit;
import io.weir.core.policy.schema.Section.Item;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A field of a policy: its name, the form and bounds of its value, its default, and its meaning in Markdown. The reader,
 * the check for unknown fields, the reference and the JSON Schema follow from it. Immutable.
 *
 * @param <T> the value's type
 */
public final class Field<T> {
  private static final Pattern NAME = Pattern.compile(Names.NAME_PATTERN);
  private static final Pattern ID = Pattern.compile(Names.ID_PATTERN);

  private final String name;
  private final FieldType<T> type;
  private final String meaning;
  private final Optional<T> usual;
  private final boolean isRequired;

  private Field(
      String name, FieldType<T> type, String meaning, Optional<T> usual, boolean isRequired) {
    this.name = name;
    this.type = type;
    this.meaning = meaning;
    this.usual = usual;
    this.isRequired = isRequired;
  }

  private static <T> Field<T> of(String name, FieldType<T> type, String meaning) {
    return new Field<>(name, type, meaning, Optional.empty(), false);
  }

  /** A whole number. */
  public static Field<Long> number(String name, long min, long max, String meaning) {
    return of(name, new WholeNumberType(min, max, ""), meaning);
  }

  /** A whole number, with a hint in the problem of another value. */
  public static Field<Long> hinted(String name, long min, long max, String hint, String meaning) {
    return of(name, new WholeNumberType(min, max, hint), meaning);
  }

  /** A fraction in per cent, or as a decimal number: 20 and 0.2 are the same. Its value is in per cent. */
  public static Field<Long> percent(String name, long min, long max, String meaning) {
    return of(name, new FractionType(Unit.PER_CENT, min, max), meaning);
  }

  /** A fraction or a factor in thousandths, or as a decimal number: 1500 and 1.5 are the same. */
  public static Field<Long> thousandths(String name, long min, long max, String meaning) {
    return of(name, new FractionType(Unit.THOUSANDTHS, min, max), meaning);
  }

  /** A duration such as 250ms, 10s or 5m; its value is in milliseconds. */
  public static Field<Long> duration(String name, Duration min, Duration max, String meaning) {
    return of(name, new DurationType(min.toMillis(), max.toMillis()), meaning);
  }

  /** True or false; false by default. */
  public static Field<Boolean> flag(String name, String meaning) {
    return of(name, new FlagType(), meaning).or(false);
  }

  /** One of some words, in the order of the map. */
  public static <T> Field<T> choice(String name, Map<String, T> words, String meaning) {
    return of(name, new ChoiceType<>(words), meaning);
  }

  /** A text of this form. */
  public static Field<String> text(String name, Pattern form, String expected, String meaning) {
    return of(name, ParsedType.of(form, expected), meaning);
  }

  /** The name of an operation, a bucket, a plan or a group. */
  public static Field<String> name(String name, String meaning) {
    return text(name, NAME, Names.NAME_PATTERN, meaning);
  }

  /** An id: of a tenant, a provider or an upstream. */
  public static Field<String> id(String name, String meaning) {
    return text(name, ID, Names.ID_PATTERN, meaning);
  }

  /**
   * A text that means something.
   *
   * @param parse empty for a text of another form
   * @param pattern a regular expression of all accepted texts, and maybe of some more
   */
  public static <T> Field<T> parsed(
      String name,
      Function<String, Optional<T>> parse,
      String pattern,
      String expected,
      String meaning) {
    return of(name, new ParsedType<>(parse, pattern, expected, false), meaning);
  }

  /** The same for a text that must not appear in messages. */
  public static <T> Field<T> secret(
      String name,
      Function<String, Optional<T>> parse,
      String pattern,
      String expected,
      String meaning) {
    return of(name, new ParsedType<>(parse, pattern, expected, true), meaning);
  }

  /** A list of texts of this form; empty by default. */
  public static Field<List<Item>> texts(
      String name, Pattern form, String expected, String meaning) {
    return of(name, new TextsType(ParsedType.of(form, expected), SizeBound.NONE), meaning)
        .or(List.of());
  }

  /** A list of whole numbers, such as statuses of HTTP, or texts of this form; empty by default. */
  public static Field<List<Item>> numerals(
      String name, Pattern form, int min, int max, String expected, String meaning) {
    ParsedType<String> text = ParsedType.of(form, expected);
    WholeNumberType numerals = new WholeNumberType(min, max, "");
    ParsedType<String> status =
        new ParsedType<>(text.parse(), text.pattern(), expected, false, Optional.of(numerals));
    return of(name, new TextsType(status, SizeBound.NONE), meaning).or(List.of());
  }

  /** A list of fractions as of {@link #percent}; its texts are whole numbers of per cent. Empty by default. */
  public static Field<List<Item>> percents(String name, int min, int max, String meaning) {
    FractionType fraction = new FractionType(Unit.PER_CENT, min, max);
    ParsedType<String> item = new ParsedType<>(
        text -> fraction.parseText(text).map(String::valueOf),
        FractionType.FORM,
        fraction.expected(),
        false,
        Optional.of(fraction));
    return of(name, new TextsType(item, SizeBound.NONE), meaning).or(List.of());
  }

  /** A list of names of operations, buckets, plans or groups; empty by default. */
  public static Field<List<Item>> names(String name, String meaning) {
    return texts(name, NAME, Names.NAME_PATTERN, meaning);
  }

  /** A mapping. */
  public static Field<Section> section(String name, Table table, String meaning) {
    return of(name, new SectionType(table), meaning);
  }

  /** A list of mappings; empty by default. */
  public static Field<List<Section>> sections(String name, Table table, String meaning) {
    return of(name, new SectionsType(table, SizeBound.NONE), meaning).or(List.of());
  }

  /** Mappings by id; none by default. */
  public static Field<Map<String, Section>> byId(String name, Table table, String meaning) {
    return named(name, Names.ID_PATTERN, table, meaning);
  }

  /** Mappings by name; none by default. */
  public static Field<Map<String, Section>> byName(String name, Table table, String meaning) {
    return named(name, Names.NAME_PATTERN, table, meaning);
  }

  private static Field<Map<String, Section>> named(
      String name, String pattern, Table table, String meaning) {
    return of(name, new NamedSectionsType(table, pattern, SizeBound.NONE), meaning)
        .or(Map.of());
  }

  /** A field of several forms: fields of the same name, one of which the reader of the section chooses. */
  public static Field<Object> oneOf(String name, String meaning, Field<?>... forms) {
    return of(name, new OneOfType(List.of(forms)), meaning);
  }

  /** The field with a default. */
  public Field<T> or(T value) {
    return new Field<>(name, type, meaning, Optional.of(value), isRequired);
  }

  /** The field without a default. */
  public Field<T> withoutDefault() {
    return new Field<>(name, type, meaning, Optional.empty(), isRequired);
  }

  /** The field, whose absence is a problem. */
  public Field<T> required() {
    return new Field<>(name, type, meaning, usual, true);
  }

  /** A list or mapping with at most so many items. */
  public Field<T> atMost(int max, String code) {
    return atMost(max, code, "");
  }

  /** The same with a noun for the items in the problem's message. */
  public Field<T> atMost(int max, String code, String noun) {
    return limited(new SizeBound(0, max, code, noun));
  }

  /** A list or mapping whose bounds the reader of the section checks. */
  public Field<T> counts(int min, int max) {
    return limited(new SizeBound(min, max, "", ""));
  }

  @SuppressWarnings("unchecked") // a type with a limit has the same value
  private Field<T> limited(SizeBound limit) {
    FieldType<?> changed;
    if (type instanceof TextsType texts) {
      changed = new TextsType(texts.item(), limit);
    } else if (type instanceof SectionsType sections) {
      changed = new SectionsType(sections.table(), limit);
    } else if (type instanceof NamedSectionsType named) {
      changed = new NamedSectionsType(named.table(), named.pattern(), limit);
    } else {
      throw new IllegalStateException(name + " has no items");
    }
    return new Field<>(name, (FieldType<T>) changed, meaning, usual, isRequired);
  }

  /** Its name in documents. */
  public String name() {
    return name;
  }

  FieldType<T> type() {
    return type;
  }

  /** The default; empty without one. */
  public Optional<T> usual() {
    return usual;
  }

  /** Whether its absence is a problem. */
  public boolean isRequired() {
    return isRequired;
  }

  /** The meaning, in Markdown; links are relative to the reference. */
  public String meaning() {
    return meaning;
  }

  /** The accepted values, for the reference; empty if its meaning says enough. */
  public String bounds() {
    return type.bounds();
  }

  /** The default as a document has it; empty without one. */
  public Optional<Object> usualWritten() {
    return usual.map(type::written);
  }

  @Override
  public String toString() {
    return name;
  }
}
