package io.weir.whole.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;

/** The objects that Helm makes of the chart, by the kind and the name. */
record Chart(String text, List<JsonObject> objects) {
  static final Path FOLDER = Path.of("../../deploy/helm/weir").toAbsolutePath().normalize();

  private static final String OLDEST_KUBERNETES = "1.25.0";
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** As a release of the name weir, with these values beside those of the chart. */
  static Chart rendered(UnaryOperator<TemplateCommand> values) throws IOException {
    return of(values
        .apply(new Helm(FOLDER)
            .template()
            .withName("weir")
            .withNamespace("default")
            .withKubeVersion(OLDEST_KUBERNETES))
        .call());
  }

  static Chart of(String manifests) throws IOException {
    try (MappingIterator<JsonNode> documents =
        YAML.readerFor(JsonNode.class).readValues(manifests)) {
      return new Chart(
          manifests,
          documents.readAll().stream()
              .map(document -> JsonParser.parseString(document.toString()).getAsJsonObject())
              .sorted(Comparator.comparing(Chart::id))
              .toList());
    }
  }

  static JsonObject yaml(Path file) throws IOException {
    return JsonParser.parseString(YAML.readTree(file.toFile()).toString()).getAsJsonObject();
  }

  static String id(JsonObject object) {
    return object.get("kind").getAsString() + " " + text(object, "metadata", "name");
  }

  List<String> ids() {
    return objects.stream().map(Chart::id).toList();
  }

  JsonObject object(String id) {
    return objects.stream()
        .filter(object -> id(object).equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError(id + " is not among " + ids()));
  }

  JsonObject pod() {
    return at(object("Deployment weir"), "spec", "template", "spec").getAsJsonObject();
  }

  JsonObject container() {
    return pod().getAsJsonArray("containers").get(0).getAsJsonObject();
  }

  /** The values of a field of each object in an array. */
  static List<String> each(JsonElement array, String field) {
    return StreamSupport.stream(((JsonArray) array).spliterator(), false)
        .map(element -> element.getAsJsonObject().get(field).getAsString())
        .toList();
  }

  static JsonElement at(JsonObject object, String... path) {
    JsonElement found = object;
    for (String name : path) {
      found = found.getAsJsonObject().get(name);
    }
    return found;
  }

  static String text(JsonObject object, String... path) {
    return at(object, path).getAsString();
  }
}
