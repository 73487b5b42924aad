package io.weir.whole.project;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A list of the contents of an artifact, in CycloneDX. */
public record Sbom(JsonNode document) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern CLASSIFIER = Pattern.compile("[?&]classifier=([^&]*)");
  // The schemas of CycloneDX are in its library.
  private static final JsonSchema SCHEMA = JsonSchemaFactory.getInstance(
          SpecVersion.VersionFlag.V7,
          factory -> factory.schemaMappers(
              mappers -> mappers.mapPrefix("http://cyclonedx.org/schema/", "classpath:")))
      .getSchema(SchemaLocation.of("classpath:bom-1.6.schema.json"));

  /** The list that the profile {@code sbom} has made, or the test is skipped. */
  public static Sbom of(Path file) throws IOException {
    if (!Files.exists(file)) {
      System.out.println("skipped: it was built without -Psbom: " + file);
    }
    assumeTrue(Files.exists(file), "skipped: it was built without -Psbom");
    return new Sbom(JSON.readTree(file.toFile()));
  }

  /** What its schema says against it. */
  public List<String> problems() {
    return SCHEMA.validate(document).stream().map(ValidationMessage::toString).toList();
  }

  String name() {
    return document.at("/metadata/component/name").asText();
  }

  /** The names of what is no artifact of Maven. */
  public Set<String> others() {
    Set<String> names = new TreeSet<>();
    for (JsonNode component : document.get("components")) {
      if (!isJar(component)) {
        names.add(component.get("name").asText());
      }
    }
    return names;
  }

  private static boolean isJar(JsonNode component) {
    return component.get("purl").asText().startsWith("pkg:maven/");
  }

  /** The names of the files of artifacts of Maven. */
  Set<String> jars() {
    Set<String> jars = new TreeSet<>();
    for (JsonNode component : document.get("components")) {
      if (!isJar(component)) {
        continue;
      }
      Matcher classifier = CLASSIFIER.matcher(component.get("purl").asText());
      jars.add("%s-%s%s.jar"
          .formatted(
              component.get("name").asText(),
              component.get("version").asText(),
              classifier.find() ? "-" + classifier.group(1) : ""));
    }
    return jars;
  }

  /** What lacks a licence, a version or a hash. */
  List<String> incomplete() {
    List<String> incomplete = new ArrayList<>();
    for (JsonNode component : document.get("components")) {
      if (component.path("licenses").isEmpty()
          || component.path("version").asText().isEmpty()
          || component.path("hashes").isEmpty()) {
        incomplete.add(component.path("purl").asText());
      }
    }
    return incomplete;
  }
}
