package io.weir.state.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.document.SchemaDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/** Reads policies, and compares the result with what the JSON Schema says of them. */
public final class CheckedPolicies {
  private static final JsonSchema SCHEMA = JsonSchemaFactory.getInstance(
          SpecVersion.VersionFlag.V202012)
      .getSchema(SchemaDocument.text());
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new YAMLMapper();
  /** Problems that each schema can express; it does not know the bounds of durations, for example. */
  private static final Set<String> OF_FORM = Set.of("field_unknown", "name_invalid");

  private CheckedPolicies() {}

  /** Reads a policy as {@link PolicyDocuments} does, and fails if the schema contradicts. */
  public static PolicyReading parse(String source, String text) {
    try {
      PolicyReading reading = PolicyDocuments.parse(source, text);
      assertThat(problems(text)).as("problems by the schema in: %s", text).isEmpty();
      return reading;
    } catch (InvalidPolicyException e) {
      List<String> codes = e.problems().stream().map(Problem::code).toList();
      if (codes.stream().anyMatch(OF_FORM::contains)) {
        assertThat(problems(text)).as("problems by the schema in: %s", text).isNotEmpty();
      }
      throw e;
    }
  }

  /** The problems of a document by the schema. */
  public static List<String> problems(String text) {
    try {
      JsonNode document = (text.stripLeading().startsWith("{") ? JSON : YAML).readTree(text);
      return SCHEMA.validate(document).stream().map(ValidationMessage::toString).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the document can be read", e);
    }
  }
}
