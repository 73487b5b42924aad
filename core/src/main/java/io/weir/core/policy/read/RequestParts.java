package io.weir.core.policy.read;

import io.weir.core.policy.CostRule;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The fields that name the part of a request with a value; one is expected. */
public final class RequestParts {
  /** The name of a header (RFC 9110, section 5.6.2). */
  public static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");

  static final Pattern POINTER = Pattern.compile("(/[^/]{1,64}){1,16}");
  private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

  private final Field<String> header = Field.text(
      "header", HEADER, "the name of a header", "the header of the request with the value");
  private final Field<String> query = Field.text(
      "query", PARAMETER, "the name of a query parameter", "the query parameter with the value");
  private final Field<String> json;

  /** @param pointer an example for messages */
  public RequestParts(String pointer) {
    json = Field.text(
        "json",
        POINTER,
        "a JSON pointer such as " + pointer,
        "the field of the body with the value: a JSON pointer (RFC 6901) such as `%s`"
            .formatted(pointer));
  }

  /** The fields. */
  public List<Field<?>> fields() {
    return List.of(header, query, json);
  }

  /** The parts that a section names. */
  public Map<CostRule.Source, String> read(Section section) {
    Map<CostRule.Source, String> sources = new LinkedHashMap<>();
    section.find(header).ifPresent(name -> sources.put(CostRule.Source.HEADER, name));
    section.find(query).ifPresent(name -> sources.put(CostRule.Source.QUERY, name));
    section.find(json).ifPresent(name -> sources.put(CostRule.Source.JSON, name));
    return sources;
  }
}
