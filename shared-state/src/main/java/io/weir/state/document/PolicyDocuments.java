package io.weir.state.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.read.PolicyReader;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Location;
import io.weir.core.policy.schema.Position;
import io.weir.core.policy.schema.Problem;
import io.weir.core.policy.schema.Problem.Severity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads policies from text. A document that begins with a brace is JSON, any other YAML. Aliases and tags of YAML are
 * refused, so that the document means exactly its visible text. Every input is bounded.
 */
public final class PolicyDocuments {

  /** The longest document that is read, in bytes. */
  public static final int MAX_BYTES = 8 << 20;

  private static final int MAX_MESSAGE = 500;
  private static final int MAX_DEPTH = 32;
  private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
      .maxNestingDepth(MAX_DEPTH)
      .maxStringLength(64 << 10)
      .maxNameLength(1000)
      .maxNumberLength(1000)
      .build();
  private static final JsonFactory JSON = JsonFactory.builder()
      .streamReadConstraints(CONSTRAINTS)
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .build();
  private static final YAMLFactory YAML = yaml();

  private PolicyDocuments() {}

  /**
   * Reads a policy file.
   *
   * @throws IOException where the file cannot be read
   * @throws InvalidPolicyException with every problem of the policy
   */
  public static PolicyReading read(Path file) throws IOException {
    return parse(file.toString(), text(file));
  }

  /**
   * The text of a policy file.
   *
   * @throws InvalidPolicyException where it is longer than {@link #MAX_BYTES} or not UTF-8
   */
  public static String text(Path file) throws IOException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      // Docker makes a directory if the file to mount is missing.
      throw new FileSystemException(source, null, "is a directory (expected: a file)");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw unparseable(
          source,
          Position.START,
          "%d bytes (expected: at most %d)".formatted(Files.size(file), MAX_BYTES));
    }
    return text(source, Files.readAllBytes(file));
  }

  /**
   * The text of a policy from bytes, with line feeds for other line ends: a file that was checked out on another system
   * is the same policy.
   *
   * @throws InvalidPolicyException if they are not UTF-8
   */
  public static String text(String source, byte[] bytes) {
    try {
      return withLineFeeds(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw unparseable(source, Position.START, "the text is not UTF-8");
    }
  }

  /** Whether two texts of policies are the same but for their line ends. */
  public static boolean areSame(String one, String other) {
    return withLineFeeds(one).equals(withLineFeeds(other));
  }

  private static String withLineFeeds(String text) {
    return text.replace("\r\n", "\n");
  }

  /**
   * Reads a policy from text.
   *
   * @param source the document's name, for the places of problems
   * @throws InvalidPolicyException with every problem of the policy
   */
  public static PolicyReading parse(String source, String text) {
    if (text.length() > MAX_BYTES) {
      throw unparseable(
          source,
          Position.START,
          "%d characters (expected: at most %d)".formatted(text.length(), MAX_BYTES));
    }
    return PolicyReader.read(source, document(source, text));
  }

  /**
   * Reads a document of any content.
   *
   * @throws InvalidPolicyException if it is neither YAML nor JSON
   */
  public static DocumentValue document(String source, String text) {
    JsonFactory format = text.stripLeading().startsWith("{") ? JSON : YAML;
    try (JsonParser parser = format.createParser(text)) {
      if (parser.nextToken() == null) {
        throw unparseable(source, Position.START, "nothing is there (expected: a policy)");
      }
      DocumentValue value = value(parser);
      if (parser.nextToken() != null) {
        throw unparseable(source, place(parser), "a second document (expected: one)");
      }
      return value;
    } catch (RefusedException e) {
      throw unparseable(source, e.place, e.reason);
    } catch (JsonProcessingException e) {
      throw unparseable(source, placeOf(e), said(e));
    } catch (IOException e) {
      throw unparseable(source, Position.START, inOneLine(String.valueOf(e.getMessage())));
    }
  }

  private static DocumentValue value(JsonParser parser) throws IOException {
    Position place = place(parser);
    if (parser.getTypeId() != null) {
      throw new RefusedException(
          place, "the tag " + parser.getTypeId() + " (expected: plain values)");
    }
    // A parser of YAML gives an alias as the text of its name.
    if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
      throw new RefusedException(
          place, "the alias *" + parser.getText() + " (expected: the value itself)");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> mapping(parser, place);
      case START_ARRAY -> sequence(parser, place);
      case VALUE_STRING -> text(parser, place);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
        new DocumentValue.Numeral(place, parser.getText());
      case VALUE_TRUE -> new DocumentValue.Flag(place, true);
      case VALUE_FALSE -> new DocumentValue.Flag(place, false);
      case VALUE_NULL -> new DocumentValue.Nothing(place);
      default -> throw new RefusedException(place, "unexpected " + parser.currentToken());
    };
  }

  // YAML has no literal for an absent value; its parser returns an empty text.
  private static DocumentValue text(JsonParser parser, Position place) throws IOException {
    String text = parser.getText();
    return text.isEmpty() && parser instanceof YAMLParser
        ? new DocumentValue.Nothing(place)
        : new DocumentValue.Text(place, text);
  }

  private static DocumentValue mapping(JsonParser parser, Position place) throws IOException {
    Map<String, DocumentValue> entries = new LinkedHashMap<>();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      entries.put(name, value(parser));
    }
    return new DocumentValue.Mapping(place, entries);
  }

  private static DocumentValue sequence(JsonParser parser, Position place) throws IOException {
    List<DocumentValue> items = new ArrayList<>();
    while (!parser.nextToken().isStructEnd()) {
      items.add(value(parser));
    }
    return new DocumentValue.Sequence(place, items);
  }

  private static Position place(JsonParser parser) {
    return place(parser.currentTokenLocation());
  }

  private static Position place(@Nullable JsonLocation at) {
    return at == null
        ? Position.START
        : new Position(Math.max(1, at.getLineNr()), Math.max(1, at.getColumnNr()));
  }

  private static YAMLFactory yaml() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MAX_BYTES);
    options.setNestingDepthLimit(MAX_DEPTH);
    options.setAllowDuplicateKeys(false);
    return YAMLFactory.builder()
        .loaderOptions(options)
        .streamReadConstraints(CONSTRAINTS)
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build();
  }

  private static Position placeOf(JsonProcessingException error) {
    Optional<Mark> mistake = mistakeOfYaml(error).map(MarkedYAMLException::getProblemMark);
    return mistake
        .map(mark -> new Position(mark.getLine() + 1, mark.getColumn() + 1))
        .orElseGet(() -> place(error.getLocation()));
  }

  // For YAML, first the context and then the mistake; the second one helps.
  private static String said(JsonProcessingException error) {
    Optional<MarkedYAMLException> mistake =
        mistakeOfYaml(error).filter(yaml -> yaml.getProblem() != null);
    if (mistake.isEmpty()) {
      return inOneLine(error.getOriginalMessage());
    }
    String context = mistake.get().getContext();
    Mark begun = mistake.get().getContextMark();
    String place = begun == null ? "" : " that begins in line %d".formatted(begun.getLine() + 1);
    String reading = context == null ? "" : context + place + ": ";
    return inOneLine(reading + mistake.get().getProblem());
  }

  private static Optional<MarkedYAMLException> mistakeOfYaml(Throwable error) {
    @Nullable Throwable cause = error;
    while (cause != null && !(cause instanceof MarkedYAMLException)) {
      cause = cause.getCause();
    }
    return Optional.ofNullable((MarkedYAMLException) cause);
  }

  private static String inOneLine(String message) {
    String line = message.lines().map(String::strip).collect(Collectors.joining(" "));
    return line.isEmpty()
        ? "not a document"
        : line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + "…";
  }

  private static InvalidPolicyException unparseable(String source, Position place, String message) {
    return new InvalidPolicyException(List.of(new Problem(
        "policy_unparseable", Severity.ERROR, new Location(source, place, ""), message)));
  }

  /** A construct that is valid YAML but refused. */
  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Position place;
    private final String reason;

    RefusedException(Position place, String reason) {
      super(reason);
      this.place = place;
      this.reason = reason;
    }
  }
}
