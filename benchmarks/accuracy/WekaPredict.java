import java.io.PrintWriter;
import weka.classifiers.Classifier;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.converters.ConverterUtils.DataSource;

/**
 * Trains Weka's regressors and prints their predictions with all digits.
 *
 *   java -cp weka.jar WekaPredict.java "weka.classifiers.trees.M5P -M 4" folder ...
 *
 * Each pair of arguments is a scheme with its options and a folder: it learns from train.arff there, whose
 * rows may end in a weight in braces, and writes its predictions of test.arff to predictions.txt.
 */
public class WekaPredict {
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < arguments.length; i += 2) {
            String[] options = Utils.splitOptions(arguments[i]);
            String scheme = options[0];
            options[0] = "";
            Classifier regressor = Classifier.forName(scheme, options);
            regressor.buildClassifier(read(arguments[i + 1] + "/train.arff"));
            Instances test = read(arguments[i + 1] + "/test.arff");
            try (PrintWriter out = new PrintWriter(arguments[i + 1] + "/predictions.txt")) {
                for (int row = 0; row < test.numInstances(); row++) {
                    Instance instance = test.instance(row);
                    out.println(regressor.classifyInstance(instance));
                }
            }
        }
    }

    private static Instances read(String file) throws Exception {
        Instances rows = DataSource.read(file);
        rows.setClassIndex(rows.numAttributes() - 1);
        return rows;
    }
}
